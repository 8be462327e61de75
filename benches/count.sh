#!/usr/bin/env bash
# How fast is the count of lines, and in how much memory? Counts the same tree with `wc -l`, in turns, with a warm cache.
#
#   benches/count.sh [DIRECTORY]
#
#   N      runs of each                                    (default: 15)
#   FILES  files of the tree that is made without DIRECTORY (default: 20000; 200 a directory, 50 lines each)
#
# Builds the bench target `count` and needs bash 5 and GNU find and coreutils. Wall time includes the start of the
# processes. What the three count differs where there are binary files, and last lines without an end.
set -euo pipefail
export LC_ALL=C

runs=${N:-15}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Where cargo put the program, which has another name after each change.
built=$(cd "$(dirname "$0")/.." && cargo bench --locked --bench count --no-run 2>&1) || { echo "$built" >&2 && exit 1; }
program=$(sed -n 's/^ *Executable .*(\(.*\))$/\1/p' <<<"$built")
program=$(cd "$(dirname "$0")/.." && realpath "$program")

make_tree() {
    local directory
    for directory in $(seq $((${FILES:-20000} / 200))); do
        mkdir -p "$1/$directory"
        awk 'BEGIN { for (n = 0; n < 10000; n++) print "line " n " of some text, as long as code is" }' |
            (cd "$1/$directory" && split -a 3 -l 50 - file)
    done
}

tree=${1:-$scratch/tree}
[ $# -gt 0 ] || make_tree "$tree"
tree=$(realpath "$tree")

count() { "$program" "$tree"; }
wc_each() { find "$tree" -type f -print0 | xargs -0 wc -l; }
wc_all() { find "$tree" -type f -print0 | xargs -0 cat | wc -l; }

# Microseconds of wall time.
clock() {
    local begin=${EPOCHREALTIME/./}
    "$1" >"$scratch/out" 2>"$scratch/err" || { cat "$scratch/out" "$scratch/err" >&2 && exit 1; }
    local end=${EPOCHREALTIME/./}
    echo $((end - begin))
}

minimum() { sort -n "$1" | sed -n 1p; }
median() { sort -n "$1" | sed -n "$(((runs + 1) / 2))p"; }
ms() { awk -v us="$1" 'BEGIN { printf "%.1f", us / 1000 }'; }
rate() { awk -v us="$1" -v files="$files" 'BEGIN { printf "%.0f", files * 1000000 / us }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
kib() { sed -n "s/^$1 //p" "$scratch/count-out"; }

for what in count wc_each wc_all; do clock "$what" >"$scratch/warm"; done
for _ in $(seq "$runs"); do
    for what in count wc_each wc_all; do clock "$what" >>"$scratch/$what"; done
done
count >"$scratch/count-out"

files=$(find "$tree" -type f -printf . | wc -c)
echo "tree       $tree"
echo "machine    $(nproc) cores, load $(cut -d ' ' -f 1 /proc/loadavg)"
echo "files      $files, $(wc_all) lines by wc"
echo "counts     $(sed -n 1p "$scratch/count-out")"
echo "memory     peak $(kib peak_kib) KiB, $(kib idle_kib) KiB of them before the count"
echo
printf '%-34s %9s %9s %12s\n' "$runs runs in turns" 'min ms' 'median ms' 'files/s, min'
row() {
    local least
    least=$(minimum "$scratch/$2")
    printf '%-34s %9s %9s %12s\n' "$1" "$(ms "$least")" "$(ms "$(median "$scratch/$2")")" "$(rate "$least")"
}
row 'count' count
row 'find -print0 | xargs -0 wc -l' wc_each
row 'find -print0 | xargs -0 cat | wc -l' wc_all
echo
for base in wc_each wc_all; do
    printf 'count / %-8s min %s, median %s\n' "${base/wc_each/wc -l}" \
        "$(ratio "$(minimum "$scratch/count")" "$(minimum "$scratch/$base")")" \
        "$(ratio "$(median "$scratch/count")" "$(median "$scratch/$base")")"
done | sed 's/wc_all/cat | wc/'
