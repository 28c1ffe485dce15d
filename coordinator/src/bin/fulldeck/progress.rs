//! Progress on standard error: bars on a terminal, now and then a line elsewhere.

use std::time::{Duration, Instant};

use fulldeck_proto::v1::RunStatus;
use indicatif::{ProgressBar, ProgressStyle};

use crate::app::App;
use crate::output::units::{counted, percent};
use crate::run_view::time_left;

/// Time between two lines where no bar can be drawn.
const LINE_EVERY: Duration = Duration::from_secs(30);
/// Lines of a terminal that are left to what was there before.
const LINES_LEFT: usize = 6;
/// Most job bars.
const MAX_JOB_BARS: usize = 40;
/// Steps of a bar.
const STEPS: u64 = 1000;

/// The bars of a run: one for the whole, and one a job where there is room.
pub(crate) struct RunBars<'a> {
    app: &'a App,
    whole: Option<ProgressBar>,
    jobs: Vec<ProgressBar>,
    elements: Option<u64>,
    last_line: Instant,
}

impl<'a> RunBars<'a> {
    pub(crate) fn new(app: &'a App, status: &RunStatus) -> Self {
        let mut bars =
            Self { app, whole: None, jobs: Vec::new(), elements: None, last_line: Instant::now() };
        if !app.progress {
            return bars;
        }
        let (rows, _) = console::Term::stderr().size();
        let room = usize::from(rows).saturating_sub(LINES_LEFT);
        let wanted = status.jobs.len();
        if wanted > 1 && (wanted <= room || app.verbose > 0) {
            let width = status.jobs.iter().map(|job| job.name.len()).max().unwrap_or(0);
            for job in status.jobs.iter().take(room.min(MAX_JOB_BARS)) {
                let bar = app.bars.add(ProgressBar::new(STEPS));
                bar.set_style(style("  {prefix} [{bar:30}] {msg}"));
                bar.set_prefix(format!("{:width$}", job.name));
                bars.jobs.push(bar);
            }
        }
        let whole = app.bars.add(ProgressBar::new(STEPS));
        whole.set_style(style("{spinner} {prefix} [{bar:40}] {msg}"));
        whole.enable_steady_tick(Duration::from_millis(200));
        bars.whole = Some(whole);
        bars
    }

    /// The rate is then shown in elements too.
    pub(crate) fn with_elements(mut self, elements: u64) -> Self {
        self.elements = Some(elements);
        self
    }

    pub(crate) fn show(&mut self, status: &RunStatus) {
        let text = self.text(status);
        let run = status.spec.as_ref().map_or(0, |spec| spec.run);
        match &self.whole {
            Some(whole) => {
                whole.set_prefix(format!("run {run}"));
                whole.set_position(steps(status.committed_cost, status.cost));
                whole.set_message(text);
            }
            None if self.last_line.elapsed() >= LINE_EVERY => {
                self.last_line = Instant::now();
                self.app.say(&format!("run {run}: {text}"));
            }
            None => {}
        }
        for (bar, job) in self.jobs.iter().zip(&status.jobs) {
            bar.set_position(steps(job.committed_cost, job.cost));
            let share = percent(job.committed_cost, job.cost);
            let parked = match job.parked {
                0 => String::new(),
                parked => format!(", {parked} parked"),
            };
            bar.set_message(format!(
                "{share:5.1} %  {}/{} slices{parked}",
                job.committed, job.slices
            ));
        }
    }

    /// Percent of the work, rate, and an honest time left.
    fn text(&self, status: &RunStatus) -> String {
        let share = percent(status.committed_cost, status.cost);
        let work_a_second = status.cost_per_second / status.cost.max(1) as f64;
        let rate = match self.elements {
            _ if work_a_second <= 0.0 => "rate -".to_owned(),
            Some(elements) => {
                format!("about {}/s", counted((work_a_second * elements as f64) as u64, "element"))
            }
            None => format!("{:.2} %/min", 6000.0 * work_a_second),
        };
        format!("{share:5.1} %  {rate}  left {}", time_left(status))
    }

    /// Takes the bars away.
    pub(crate) fn clear(&mut self) {
        for bar in self.jobs.drain(..).chain(self.whole.take()) {
            bar.finish_and_clear();
        }
    }
}

impl Drop for RunBars<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

fn steps(done: u64, whole: u64) -> u64 {
    (percent(done, whole) / 100.0 * STEPS as f64) as u64
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .expect("the templates of this file are well formed")
        .progress_chars("#>.")
}

/// Something that takes a while.
pub(crate) struct Activity(ProgressBar);

impl Activity {
    /// Of unknown length.
    pub(crate) fn new(app: &App, what: &'static str) -> Self {
        Self::drawn(app, ProgressBar::new_spinner(), "{spinner} {msg} {elapsed}", what)
    }

    /// Of `elements` steps.
    pub(crate) fn of(app: &App, what: &'static str, elements: u64) -> Self {
        let template = "{spinner} {msg} [{bar:40}] {percent:>3} %  {per_sec}  left {eta}";
        Self::drawn(app, ProgressBar::new(elements), template, what)
    }

    fn drawn(app: &App, bar: ProgressBar, template: &str, what: &'static str) -> Self {
        let bar = if app.progress { app.bars.add(bar) } else { ProgressBar::hidden() };
        bar.set_style(style(template));
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// So many more steps are done.
    pub(crate) fn add(&self, done: u64) {
        self.0.inc(done);
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Activity {
    fn drop(&mut self) {
        self.clear();
    }
}
