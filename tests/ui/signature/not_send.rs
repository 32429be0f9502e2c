use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up() -> u8 { //~ future cannot be sent between threads safely
    let kept = std::rc::Rc::new(1);
    std::future::ready(()).await;
    *kept
}

fn main() {}
