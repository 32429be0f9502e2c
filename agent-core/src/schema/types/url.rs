//! `url::Url`: an absolute URL.

written! {
    ::url::Url, format: "uri";
}
