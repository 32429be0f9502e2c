//! `uuid::Uuid`.

written! {
    ::uuid::Uuid, format: "uuid";
}
