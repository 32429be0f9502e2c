#!/bin/sh
# Measures, and writes what comes of it between the marks of docs/performance.md:
#
#   benches/record.sh [machine | table | counts | scale | build | tools | check]..
#
# Without words all of it, which takes about half an hour on two cores and wants a machine with nothing else to do. The
# race against other libraries is in no repository: the page says how to run it, and `benches/record.sh race FILE` takes
# over what it printed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
page=$root/docs/performance.md
out=$(mktemp)
trap 'rm -f -- "$out"' EXIT

machine() {
    echo '| | |'
    echo '| --- | --- |'
    echo "| date | $(date -u +%Y-%m-%d) |"
    echo "| commit | $(git -C "$root" rev-parse --short HEAD) |"
    echo "| CPU | $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores |"
    echo "| memory | $(awk '/^MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo) |"
    echo "| kernel | $(uname -sr) |"
    echo "| compiler | $(rustc --version) |"
    echo "| other work, by the load of the last minute | $(cut -d ' ' -f 1 /proc/loadavg) |"
    for crate in tokio hyper reqwest serde_json jsonschema schemars; do
        echo "| $crate | $(sed -n "/^name = \"$crate\"/{n;s/version = \"\(.*\)\"/\1/p;}" "$root/Cargo.lock" | paste -sd ' ') |"
    done
    command -v valgrind > /dev/null && echo "| valgrind | $(valgrind --version) |"
}

scale() {
    target=${CARGO_TARGET_DIR:-$root/target}
    (cd "$root" && cargo build --release --quiet -p agent-benches --bin scale)
    "$target/release/scale"
}

measure() {
    case $1 in
    machine) machine ;;
    table) "$root/benches/table.sh" ;;
    counts) "$root/benches/count.sh" record ;;
    scale) scale ;;
    build) "$root/benches/build-cost.sh" cold ;;
    tools) "$root/benches/build-cost.sh" tools ;;
    check) "$root/benches/compile-cost.sh" ;;
    # The sums, and what has a table of its own.
    race)
        awk '/^### / { shown = /^### (summary|mem-|dispatch|paced)/; sub(/^### /, ""); if (shown) print "**" $0 "**"; next } shown' "$2"
        ;;
    esac
}

record() {
    grep -q "^<!-- begin: $1 " "$page" || {
        echo "docs/performance.md has no place for \`$1\`" >&2
        exit 2
    }
    measure "$@" > "$out"
    awk -v part="$1" -v out="$out" -v when="$(date -u +%Y-%m-%d)" '
        $0 ~ "^<!-- begin: " part " " {
            print "<!-- begin: " part " (" when "; benches/record.sh " part ") -->\n"
            while ((getline line < out) > 0) print line
            print ""
            inside = 1
        }
        /^<!-- end -->/ { inside = 0 }
        !inside { print }
    ' "$page" > "$page.new"
    mv "$page.new" "$page"
}

case ${1:-} in
race) record race "$2" ;;
*)
    [ $# -gt 0 ] || set -- machine table counts scale build tools check
    for part; do record "$part"; done
    ;;
esac
