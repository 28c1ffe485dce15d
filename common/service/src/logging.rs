//! Logs go to standard error: data alone goes to standard output.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Environment variable that replaces the filter, e.g. `debug,h2=info`.
pub const FILTER_VARIABLE: &str = "FULLDECK_LOG";

/// Shape of a log line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Why logging was not set up.
#[derive(Debug, thiserror::Error)]
pub enum LoggingError {
    /// The filter cannot be read.
    #[error(
        "log filter '{filter}' is malformed: {problem} (a filter is e.g. info or debug,h2=info)"
    )]
    Filter {
        /// What was given.
        filter: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Logging is set up already.
    #[error("logging is set up already")]
    Twice,
}

/// Logs to standard error what passes `filter`, unless [`FILTER_VARIABLE`] says otherwise.
///
/// # Errors
/// [`LoggingError`] for a malformed filter or a second call.
pub fn init(filter: &str, format: LogFormat) -> Result<(), LoggingError> {
    let colour = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    init_to(filter, format, colour, io::stderr)
}

/// As [`init`], through another writer (one that keeps progress bars whole).
///
/// # Errors
/// As [`init`].
pub fn init_to<W>(
    filter: &str,
    format: LogFormat,
    colour: bool,
    writer: W,
) -> Result<(), LoggingError>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let filter = std::env::var(FILTER_VARIABLE).unwrap_or_else(|_| filter.to_owned());
    let parsed = EnvFilter::try_new(&filter)
        .map_err(|error| LoggingError::Filter { filter, problem: error.to_string() })?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(parsed)
        .with_ansi(colour)
        .with_target(false)
        .with_writer(writer);
    match format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    }
    .map_err(|_| LoggingError::Twice)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Captured(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn filters_are_checked_lines_are_filtered_and_a_second_set_up_is_refused() {
        assert!(matches!(
            init_to("info,=x=", LogFormat::Text, false, io::sink),
            Err(LoggingError::Filter { .. })
        ));
        let captured = Captured::default();
        let writer = captured.clone();
        init_to("info", LogFormat::Json, false, move || writer.clone()).unwrap();
        tracing::info!(slices = 3, "leased");
        tracing::debug!("hidden");
        let text = String::from_utf8(captured.0.lock().unwrap().clone()).unwrap();
        assert!(text.contains("\"message\":\"leased\"") && text.contains("\"slices\":3"), "{text}");
        assert_eq!(text.lines().count(), 1);
        assert!(matches!(init("info", LogFormat::Text), Err(LoggingError::Twice)));
    }
}
