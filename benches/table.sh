#!/bin/sh
# Runs the benchmarks and prints them as markdown: the least time of each row and its ratio to the first of its group.
#
#   benches/table.sh [FILTER]
#
# The least of many is what other work on the machine changes least. TABLE_LOG keeps what divan printed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
log=${TABLE_LOG:-$(mktemp)}
(cd "$root" && cargo bench --quiet -p agent-benches --bench cost -- --color never "$@") > "$log"
# divan draws a tree: group, row, size. Numbers are in the columns fastest, slowest, median, mean.
awk '
    function nanoseconds(text,    part) {
        split(text, part, " ")
        return part[1] * (part[2] == "ps" ? 1e-3 : part[2] == "ns" ? 1 : part[2] == "µs" ? 1e3 : part[2] == "ms" ? 1e6 : 1e9)
    }
    function time(ns) {
        return ns < 1e3 ? sprintf("%.0f ns", ns) : ns < 1e6 ? sprintf("%.1f µs", ns / 1e3) : sprintf("%.1f ms", ns / 1e6)
    }
    function words(name) { gsub(/^._/, "", name); gsub(/_/, " ", name); return name }
    # Group and row have no numbers of their own.
    /^[├╰]─ / { group = $2; rows = 0; sizes = 0; order[++groups] = group; next }
    /^[│ ]  [├╰]─ / && $2 !~ /^[0-9]+$/ { for (i = 1; i <= NF; i++) if ($i ~ /^[a-z]_/) row = $i; rowof[group, ++count[group]] = row; next }
    {
        line = $0
        gsub(/[│├╰─]/, " ", line)
    }
    line ~ /^ +[0-9]+ +[0-9.]+ (ps|ns|µs|ms|s) / {
        split(line, word, " ")
        size = word[1]
        if (!((group, size) in known)) { known[group, size] = 1; sizeof[group, ++sizecount[group]] = size }
        least[group, row, size] = nanoseconds(word[2] " " word[3])
    }
    END {
        for (g = 1; g <= groups; g++) {
            group = order[g]
            by = group; sub(/_by_.*/, "", group_words = group); unit = by; sub(/.*_by_/, "", unit)
            title = group; sub(/_by_.*/, "", title)
            printf "%s| %s, by %s |", (g > 1 ? "\n" : ""), title, unit
            for (s = 1; s <= sizecount[group]; s++) printf " %s |", sizeof[group, s]
            printf "\n| --- |"
            for (s = 1; s <= sizecount[group]; s++) printf " ---: |"
            printf "\n"
            first = rowof[group, 1]
            for (r = 1; r <= count[group]; r++) {
                row = rowof[group, r]
                printf "| %s |", words(row)
                for (s = 1; s <= sizecount[group]; s++) {
                    size = sizeof[group, s]
                    ns = least[group, row, size]
                    if (r == 1) printf " %s |", time(ns)
                    else printf " %.2f (%s) |", ns / least[group, first, size], time(ns)
                }
                printf "\n"
            }
        }
    }
' "$log"
