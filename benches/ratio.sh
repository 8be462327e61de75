#!/usr/bin/env bash
# How close is a check to a text search? Runs both on the same tree, in turns, with a warm cache.
#
#   benches/ratio.sh TREE
#
#   LINT  the binary          (default: target/release/mcp-roots-lint; build it with `cargo build --release`)
#   N     runs of each        (default: 15)
#
# Builds nothing and needs bash 5, ripgrep and GNU time. TREE must be a git repository (`git init` is enough), or
# gitignore files in it are honoured by neither of the two. Wall time includes the start of the process.
set -euo pipefail
export LC_ALL=C

tree=${1:?usage: benches/ratio.sh TREE}
lint=$(realpath "${LINT:-target/release/mcp-roots-lint}")
runs=${N:-15}
pattern='list_roots|roots/list|enable_roots'
cd "$tree"

check() { "$lint" check . --fail-on never; }
search() { rg -c --hidden -g '!.git' "$pattern" .; }
search_rust() { rg -c --hidden -g '!.git' -g '*.rs' "$pattern" .; }

# Microseconds of wall time. No match is 1 for rg, and files that cannot be checked are 3 for the lint.
clock() {
    local begin=${EPOCHREALTIME/./} status=0
    "$1" >"$scratch/out" 2>"$scratch/err" || status=$?
    local end=${EPOCHREALTIME/./}
    case $1:$status in
    *:0 | search*:1 | check:3) ;;
    *)
        echo "$1 failed with $status:" >&2
        cat "$scratch/err" >&2
        exit 1
        ;;
    esac
    echo $((end - begin))
}

# Largest resident set in KiB.
peak() {
    command time -f %M -o "$scratch/peak" "$@" >"$scratch/out" 2>"$scratch/err" || true
    tail -n 1 "$scratch/peak"
}

minimum() { sort -n "$1" | sed -n 1p; }
median() { sort -n "$1" | sed -n "$(((runs + 1) / 2))p"; }
ms() { awk -v us="$1" 'BEGIN { printf "%.1f", us / 1000 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for what in check search search_rust; do clock "$what" >"$scratch/warm"; done
for _ in $(seq "$runs"); do
    for what in check search search_rust; do clock "$what" >>"$scratch/$what"; done
done

files=$(rg --files --hidden -g '!.git' -g '*.rs' . | wc -l)
hits=$(search_rust | wc -l) || true
echo "tree       $PWD"
echo "tools      $("$lint" --version), $(rg --version | sed -n 1p)"
echo "machine    $(nproc) cores, load $(cut -d ' ' -f 1 /proc/loadavg)"
echo "files      $(rg --files --hidden -g '!.git' . | wc -l), $files of them .rs; $hits .rs files match the pattern"
echo "check      $(check 2>&1 | tail -n 2 | tr '\n' ';')"
echo
printf '%-28s %9s %9s %14s\n' "$runs runs in turns" 'min ms' 'median ms' 'peak memory'
row() {
    printf '%-28s %9s %9s %10s KiB\n' "$1" "$(ms "$(minimum "$scratch/$2")")" "$(ms "$(median "$scratch/$2")")" "$3"
}
row 'mcp-roots-lint check' check "$(peak "$lint" check . --fail-on never)"
row 'rg, all text files' search "$(peak rg -c --hidden -g '!.git' "$pattern" .)"
row 'rg, .rs files only' search_rust "$(peak rg -c --hidden -g '!.git' -g '*.rs' "$pattern" .)"
echo
for base in search search_rust; do
    name='rg, all text files'
    [ "$base" = search ] || name='rg, .rs files only'
    printf 'check / %-20s min %s, median %s\n' "$name" \
        "$(ratio "$(minimum "$scratch/check")" "$(minimum "$scratch/$base")")" \
        "$(ratio "$(median "$scratch/check")" "$(median "$scratch/$base")")"
done
