//! Directories as handles, and how to get from one to another inside it. Reading what is in them is in `count`.
//!
//! A path that was checked may lead elsewhere when it is used; a handle cannot. So a directory is opened once by its path,
//! and everything in it is opened relative to that handle by `cap-std`, which lets no symbolic link lead out, not even
//! one that is put in place meanwhile. Nobody can tell a hard link to an outside file from the file.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, ReadDir};
use thiserror::Error;

/// Why a directory cannot be opened by its path.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A relative path, whose meaning depends on where the server was started.
    #[error("`{}` is not an absolute path: send the full path of the directory", .0.display())]
    NotAbsolute(PathBuf),
    /// Nothing has this path.
    #[error("`{}` does not exist: send the path of a directory that does", .0.display())]
    Missing(PathBuf),
    /// A file, pipe, socket or device, or a path through one.
    #[error("`{}` is not a directory: send the path of the directory that it is in", .0.display())]
    NotADirectory(PathBuf),
    /// The operating system refuses.
    #[error("`{}` may not be opened: permission denied; allow the server's user to read it, or send another", .0.display())]
    Denied(PathBuf),
    /// It is not the directory that it was.
    #[error("`{}` is no longer the directory that it was: send the roots again", .0.display())]
    Replaced(PathBuf),
    /// Whatever else the operating system says.
    #[error("`{}` cannot be opened: {}", .0.display(), .1)]
    Other(PathBuf, #[source] io::Error),
}

impl OpenError {
    fn new(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing(path),
            io::ErrorKind::NotADirectory => Self::NotADirectory(path),
            io::ErrorKind::PermissionDenied => Self::Denied(path),
            _ => Self::Other(path, error),
        }
    }
}

/// Why a directory cannot be opened inside another.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SubdirError {
    /// An absolute path.
    #[error("`{}` is an absolute path: send a path relative to the directory", .0.display())]
    Absolute(PathBuf),
    /// A path with `..`.
    #[error("`{}` goes up by `..`: send a path that only goes down from the directory", .0.display())]
    Parent(PathBuf),
    /// A symbolic link on the way leads out.
    #[error("`{}` leads out of the directory, as symbolic links with an absolute target always do: \
             send a path inside the directory", .0.display())]
    Outside(PathBuf),
    /// Nothing has this path.
    #[error("`{}` does not exist in the directory: send the path of a directory that does", .0.display())]
    Missing(PathBuf),
    /// Something else than a directory, or a path through it.
    #[error("`{}` is a file, not a directory: send the path of the directory that it is in", .0.display())]
    NotADirectory(PathBuf),
    /// The operating system refuses.
    #[error("`{}` may not be opened: permission denied; allow the server's user to read it, or send another", .0.display())]
    Denied(PathBuf),
    /// A name with another meaning than a file's, on Windows.
    #[error("`{}` cannot be opened: {}", .0.display(), .1)]
    Name(PathBuf, #[source] super::uri::NameError),
    /// Whatever else the operating system says, such as symbolic links in a circle.
    #[error("`{}` cannot be opened: {}", .0.display(), .1)]
    Other(PathBuf, #[source] io::Error),
}

impl SubdirError {
    fn new(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing(path),
            io::ErrorKind::NotADirectory => Self::NotADirectory(path),
            // What the operating system refuses has its number; what `cap-std` refuses has none.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Self::Outside(path),
            io::ErrorKind::PermissionDenied => Self::Denied(path),
            _ => Self::Other(path, error),
        }
    }
}

/// An opened directory: a handle, not a path. It stays what it is when it is renamed or replaced. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Directory {
    handle: Arc<Dir>,
    path: Arc<Path>,
    identity: Identity,
}

impl Directory {
    /// Opens a directory by its absolute path, following symbolic links: whoever names it decides where it is.
    ///
    /// Never waits, not for the writer of a named pipe either.
    ///
    /// # Errors
    ///
    /// Says what the path is instead, and what to send.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        if !path.is_absolute() {
            return Err(OpenError::NotAbsolute(path.to_owned()));
        }
        let failed = |error| OpenError::new(path, error);
        let canonical = path.canonicalize().map_err(failed)?;
        let handle = Dir::open_ambient_dir(&canonical, ambient_authority()).map_err(failed)?;
        Self::new(handle, canonical).map_err(failed)
    }

    fn new(handle: Dir, path: PathBuf) -> io::Result<Self> {
        // A handle alone proves little: on Linux, making one takes no right to read.
        handle.entries()?;
        let identity = Identity::of(&handle, &path)?;
        Ok(Self { handle: Arc::new(handle), path: path.into(), identity })
    }

    /// The canonical path at the time of opening, to show, select by and compare; opening it again may open another.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether both are the same directory, whatever paths they were opened by.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.identity == other.identity
    }

    /// What to remember of it without keeping it open.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { path: self.path.clone(), identity: self.identity.clone() }
    }

    /// Opens a directory inside this one; `.` and the empty path are this one. Its [`path`](Self::path) is this one's
    /// path joined with `subdir`.
    ///
    /// Symbolic links are followed as long as they stay inside.
    ///
    /// # Errors
    ///
    /// Says what the path is instead, and what to send.
    pub fn open_subdir(&self, subdir: &Path) -> Result<Self, SubdirError> {
        let relative = downward(subdir)?;
        if relative.as_os_str().is_empty() {
            return Ok(self.clone());
        }
        let failed = |error| SubdirError::new(subdir, error);
        let handle = self.handle.open_dir(&relative).map_err(failed)?;
        Self::new(handle, self.path.join(&relative)).map_err(failed)
    }

    /// What is in it, one by one.
    pub(super) fn entries(&self) -> io::Result<ReadDir> {
        self.handle.entries()
    }
}

/// A directory that was opened and closed again, to be opened later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    path: Arc<Path>,
    identity: Identity,
}

impl Place {
    /// The canonical path that it had.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it again, if it is still the same: another directory may have been put, or linked, in its place.
    ///
    /// # Errors
    ///
    /// See [`Directory::open`]; [`OpenError::Replaced`] when it is another.
    pub fn open(&self) -> Result<Directory, OpenError> {
        let directory = Directory::open(&self.path)?;
        if directory.identity == self.identity && directory.path == self.path {
            Ok(directory)
        } else {
            Err(OpenError::Replaced(self.path.to_path_buf()))
        }
    }
}

/// The path without `.`, if its text only goes down. Looks at whole components: `..foo` and `...` are names.
fn downward(subdir: &Path) -> Result<PathBuf, SubdirError> {
    let mut relative = PathBuf::new();
    for component in subdir.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => {
                #[cfg(windows)]
                super::uri::windows::check(&name.to_string_lossy())
                    .map_err(|error| SubdirError::Name(subdir.to_owned(), error))?;
                relative.push(name);
            }
            Component::ParentDir => return Err(SubdirError::Parent(subdir.to_owned())),
            Component::RootDir | Component::Prefix(_) => return Err(SubdirError::Absolute(subdir.to_owned())),
        }
    }
    Ok(relative)
}

/// What two handles of one directory have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    /// Device and inode.
    #[cfg(not(windows))]
    Inode(u64, u64),
    /// Windows tells the number of a file only to unstable parts of Rust's library.
    #[cfg(windows)]
    Path(PathBuf),
}

impl Identity {
    #[cfg(not(windows))]
    fn of(handle: &Dir, _path: &Path) -> io::Result<Self> {
        use cap_fs_ext::MetadataExt as _;
        let metadata = handle.dir_metadata()?;
        Ok(Self::Inode(metadata.dev(), metadata.ino()))
    }

    #[cfg(windows)]
    fn of(_handle: &Dir, path: &Path) -> io::Result<Self> {
        path.canonicalize().map(Self::Path)
    }
}
