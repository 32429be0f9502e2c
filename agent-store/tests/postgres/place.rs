//! A schema of its own for each test.

use std::sync::atomic::{AtomicU32, Ordering};

use agent_store::{PostgresOptions, PostgresStore};

/// Part of a database that only one test uses.
pub(crate) struct Place {
    server: String,
    schemas: std::sync::Mutex<Vec<String>>,
}

impl Place {
    /// A place on the server for tests; none where there is no server.
    pub(crate) fn find() -> Option<Self> {
        let Ok(server) = std::env::var("AGENT_TEST_POSTGRES") else {
            eprintln!("skipped: AGENT_TEST_POSTGRES names no server; `.ci/postgres start FOLDER` gives one");
            return None;
        };
        Some(Self::on(&server))
    }

    /// A place on this server.
    pub(crate) fn on(server: &str) -> Self {
        Self { server: server.to_owned(), schemas: std::sync::Mutex::default() }
    }

    /// The connection string of a schema that is new.
    pub(crate) async fn schema(&self) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("agent_test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        self.run(&format!("CREATE SCHEMA {name}")).await;
        let and = if self.server.contains('?') { '&' } else { '?' };
        let url = format!("{}{and}options=-csearch_path%3D{name}", self.server);
        self.schemas.lock().unwrap().push(name);
        url
    }

    /// A store that is empty.
    pub(crate) async fn store(&self) -> PostgresStore {
        PostgresOptions::new(&self.schema().await).connections(8).open().await.unwrap()
    }

    pub(crate) async fn run(&self, sql: &str) {
        let (client, connection) = tokio_postgres::connect(&self.server, tokio_postgres::NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        client.batch_execute(sql).await.unwrap();
        drop(client);
        connection.await.unwrap().unwrap();
    }

    /// Removes what the test has made.
    pub(crate) async fn leave(self) {
        let schemas = std::mem::take(&mut *self.schemas.lock().unwrap());
        for name in schemas {
            self.run(&format!("SET client_min_messages = warning; DROP SCHEMA {name} CASCADE")).await;
        }
    }
}
