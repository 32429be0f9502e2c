#!/bin/sh
# Measures, and writes what comes of it between the marks of docs/performance.md:
#
#   benches/record.sh [machine | table | counts | scale | build | tools | check | aims]..
#
# Without words all of it, which takes about half an hour on two cores and wants a machine with nothing else to do. The
# race against other libraries is in no repository: the page says how to run it, and `benches/record.sh race FILE` takes
# over what it printed. `aims` reads the other tables of the page, and says which aims they reach.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
page=$root/docs/performance.md
out=$(mktemp)
trap 'rm -f -- "$out"' EXIT

# What is measured; with a plus where files have changed since, beside those that are written here.
commit() {
    changed=$(git -C "$root" status --porcelain -- . ':!docs/performance.md' ':!benches/counts.txt')
    echo "$(git -C "$root" rev-parse --short HEAD)${changed:+ +}"
}

machine() {
    echo '| | |'
    echo '| --- | --- |'
    echo "| date | $(date -u +%Y-%m-%d) |"
    echo "| CPU | $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores |"
    echo "| memory | $(awk '/^MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo) |"
    echo "| kernel | $(uname -s) $(uname -r | cut -d . -f 1,2) |"
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

aims() {
    awk -F ' *[|] *' '
        function aim(what, most, unit, value) {
            said = value == "" || most == "" ? "not measured" : value + 0 <= most + 0 ? "yes" : "no"
            printf "| %s | %s | %s | %s |\n", what, (most == "" ? "" : most unit), (value == "" ? "" : value unit), said
        }
        function microseconds(text,    part) {
            split(text, part, " ")
            return part[1] * (part[2] == "ns" ? 1e-3 : part[2] == "µs" ? 1 : 1e3)
        }
        # What a table has in its head, until the next head.
        /^[|] (contestant|tools by|arguments, by lines|CPU of a turn by KB) / { for (i = 2; i < NF; i++) head[i] = $i; table = $2; next }
        $2 == "agent" && table == "contestant" {
            for (i = 3; i < NF; i++) {
                if (match($i, /[(][0-9.]+x[)]/)) of[head[i]] = substr($i, RSTART + 1, RLENGTH - 3)
                if (head[i] == "KB per run in flight" || head[i] == "ns") of[head[i]] = $i
            }
        }
        # A line that explains little says nothing.
        $2 == "ours" && $4 + 0 >= 0.9 && table ~ /^CPU of a turn by KB/ { split($3, part, " "); kilobyte = part[3] }
        table ~ /^arguments, by lines/ && /dispatch of a mutating call/ && match($3, /[(].*[)]/) {
            mutating = microseconds(substr($3, RSTART + 1, RLENGTH - 2))
        }
        table == "tools by" && ($2 == "agent" || $2 == "derives") { split($5, part, " "); build[$2] = part[1]; split($6, part, " "); bytes[$2] = part[1] }
        END {
            print "| | aim | measured | reached |\n| --- | ---: | ---: | --- |"
            aim("invoice, 3 turns: CPU to `floor`", "2.0", "", of["invoice"])
            aim("the same, streamed", "2.0", "", of["invoice-stream"])
            aim("tokens one by one, 64 at once", "1.5", "", of["paced-stream-c64"])
            aim("50 turns", "1.8", "", of["long50"])
            aim("200 turns", "1.7", "", of["long200"])
            aim("each KB of history and turn", "0.15", " µs", kilobyte)
            aim("128 calls in one turn", "9", "", of["fan128"])
            aim("memory of a waiting run", "45", " KB", of["KB per run in flight"])
            aim("dispatch of a read", "500", " ns", of["ns"])
            aim("dispatch of a mutating call, memory store", "2", " µs", mutating)
            aim("release build of one more tool, beside the derives of serde and schemars", build["derives"], " ms", build["agent"])
            aim("its bytes", bytes["derives"], " kB", bytes["agent"])
        }
    ' "$page"
}

measure() {
    case $1 in
    machine) machine ;;
    table) "$root/benches/table.sh" ;;
    # One that is above its record fails, and is to stand in the table; what could not be counted prints none.
    counts) "$root/benches/count.sh" || [ -s "$out" ] ;;
    scale) scale ;;
    build) "$root/benches/build-cost.sh" cold ;;
    tools) "$root/benches/build-cost.sh" tools ;;
    check) "$root/benches/compile-cost.sh" ;;
    aims) aims ;;
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
    awk -v part="$1" -v out="$out" -v when="$(date -u +%Y-%m-%d), $(commit)" '
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
race)
    record race "$2"
    record aims
    ;;
*)
    [ $# -gt 0 ] || set -- machine table counts scale build tools check aims
    for part; do record "$part"; done
    ;;
esac
