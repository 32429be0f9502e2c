use agent_core::tool;

type All = Vec<u8>;

/// Ships.
#[tool]
async fn ship(
    #[arg(flatten)]
    order: All, //~ `order` is an array; `flatten` takes a struct with named fields as the whole argument object
) -> u8 {
    let _ = order;
    1
}

fn main() {}
