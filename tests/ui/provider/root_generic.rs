use agent_core::tool;
use agent_tests_shapes::Head;

type Many<T> = Vec<T>;

/// Ships.
#[tool]
async fn ship(
    #[arg(flatten)]
    order: Many<Head>, //~ `order` is an array; `flatten` takes a struct with named fields as the whole argument object
) -> u8 {
    let _ = order;
    1
}

fn main() {}
