#!/bin/sh
# What tools cost while compiling: seconds of `cargo check` of one crate with 10, 100 and 300 tools, against the same
# structs with serde's derives only, as markdown. Everything below the crate is built before; incremental compilation is
# off.
#
#   benches/compile-cost.sh [COUNT..]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=${CARGO_TARGET_DIR:-$root/target}/compile-cost
counts=${*:-10 100 300}
mkdir -p "$work/src"
cp "$root/Cargo.lock" "$work/Cargo.lock"
cat > "$work/Cargo.toml" <<TOML
[package]
name = "compile-cost"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
agent-core = { path = "$root/agent-core" }
serde = { version = "1", features = ["derive"] }
TOML

# $1 tools; with a tool for each where $2 is 1, serde only where it is 0. Four types and about twenty fields a tool.
program() {
    awk -v count="$1" -v tools="$2" 'BEGIN {
        derive = tools ? "#[derive(serde::Deserialize, agent_core::ToolSchema)]" : "#[derive(serde::Deserialize)]"
        print "#![allow(dead_code)]"
        for (i = 0; i < count; i++) {
            printf "%s\nstruct Line%d {\n    /// The article.\n    sku: String,\n    /// How many.\n    quantity: u32,\n    /// The price.\n    price: f64,\n    /// The tax.\n    tax: Option<f64>,\n    /// Tags.\n    tags: Vec<String>,\n}\n", derive, i
            printf "%s\nstruct Place%d {\n    /// The street.\n    street: String,\n    /// The city.\n    city: String,\n    /// The country.\n    country: Option<String>,\n    /// The floor.\n    floor: Option<i16>,\n}\n", derive, i
            printf "%s\n#[serde(rename_all = \"snake_case\")]\nenum Way%d { Road, Sea, Air, Rail }\n", derive, i
            printf "%s\nstruct Order%d {\n    /// The lines.\n    lines: Vec<Line%d>,\n    /// From.\n    from: Place%d,\n    /// To.\n    to: Option<Place%d>,\n    /// The way.\n    way: Way%d,\n    /// A note.\n    note: Option<String>,\n}\n", derive, i, i, i, i, i
            if (tools) {
                printf "/// Ships an order.\n#[agent_core::tool]\nasync fn ship%d(\n    /// The order.\n    order: Order%d,\n    /// How often.\n    times: u8,\n    /// Today or not.\n    today: bool,\n) -> u8 {\n    let _ = (order, today);\n    times\n}\n", i, i
            } else {
                printf "async fn ship%d(order: Order%d, times: u8, today: bool) -> u8 {\n    let _ = (order, today);\n    times\n}\n", i, i
            }
        }
        print "fn main() {}"
    }' > "$work/src/main.rs"
}

# User and system seconds of one check, the least of three.
seconds() {
    best=
    for _ in 1 2 3; do
        touch "$work/src/main.rs"
        taken=$( { cd "$work" && CARGO_INCREMENTAL=0 CARGO_TARGET_DIR="$work/target" sh -c 'time -p cargo check --offline --quiet'; } 2>&1 |
            awk '$1 == "user" || $1 == "sys" { sum += $2 } END { printf "%.2f", sum }')
        if [ -z "$best" ] || awk "BEGIN { exit !($taken < $best) }"; then best=$taken; fi
    done
    echo "$best"
}

program 1 1
(cd "$work" && CARGO_INCREMENTAL=0 CARGO_TARGET_DIR="$work/target" cargo check --offline --quiet)
echo '| tools | `cargo check`, serde only | with tools | more, a tool |'
echo '| ---: | ---: | ---: | ---: |'
for count in $counts; do
    program "$count" 0
    serde=$(seconds)
    program "$count" 1
    ours=$(seconds)
    awk -v n="$count" -v a="$serde" -v b="$ours" 'BEGIN { printf "| %d | %.2f s | %.2f s | %.1f ms |\n", n, a, b, (b - a) * 1000 / n }'
done
