use agent_core::tools;

async fn look_up() -> u8 {
    1
}

fn main() {
    let _ = tools![look_up]; //~ expected struct, variant or union type, found function `look_up`
}
