//! Progress on standard error: bars on a terminal, now and then a line elsewhere. Lines fit the terminal, however narrow:
//! what matters less is left out.

use std::time::{Duration, Instant};

use console::measure_text_width;
use fulldeck_proto::v1::{JobStatus, RunStatus};
use indicatif::{ProgressBar, ProgressStyle};

use crate::app::App;
use crate::output::table::bar;
use crate::output::units::{counted, percent};
use crate::run_view::time_left;

/// Time between two lines where no bar can be drawn.
const LINE_EVERY: Duration = Duration::from_secs(30);
/// Lines of a terminal that are left to what was there before.
const LINES_LEFT: usize = 6;
/// Most lines of jobs; more jobs are summed up in one.
const MAX_JOB_LINES: usize = 40;
/// A bar has at most so many steps, ...
const WIDEST_BAR: usize = 40;
/// ... and is left out where it would have fewer.
const NARROWEST_BAR: usize = 10;
/// Columns of the sign that turns, and one at the end, where some terminals wrap.
const SIGN_COLUMNS: usize = 3;

/// The lines of a run: one for the whole, and one a job where there is room, else one for all jobs.
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
        let room = usize::from(rows).saturating_sub(LINES_LEFT).min(MAX_JOB_LINES);
        let lines = match status.jobs.len() {
            0 | 1 => 0,
            jobs if jobs <= room => jobs,
            _ => 1,
        };
        for _ in 0..lines {
            let line = app.bars.add(ProgressBar::new_spinner());
            line.set_style(style("  {wide_msg}"));
            bars.jobs.push(line);
        }
        let whole = app.bars.add(ProgressBar::new_spinner());
        whole.set_style(style("{spinner} {wide_msg}"));
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
        let run = format!("run {}", status.spec.as_ref().map_or(0, |spec| spec.run));
        let (share, parts) = self.parts(status);
        let Some(whole) = &self.whole else {
            if self.last_line.elapsed() >= LINE_EVERY {
                self.last_line = Instant::now();
                self.app.say(&format!("{run}: {}", parts.join("  ")));
            }
            return;
        };
        let columns = usize::from(console::Term::stderr().size().1).saturating_sub(SIGN_COLUMNS);
        whole.set_message(line(columns, &run, share, &parts));
        match &self.jobs[..] {
            [] => {}
            [one] => one.set_message(jobs_line(columns, &status.jobs)),
            lines => {
                for (bar, text) in lines.iter().zip(job_lines(columns, &status.jobs)) {
                    bar.set_message(text);
                }
            }
        }
    }

    /// Percent of the work, an honest time left, and the rate: what matters most comes first.
    fn parts(&self, status: &RunStatus) -> (f64, Vec<String>) {
        let share = percent(status.committed_cost, status.cost);
        let work_a_second = status.cost_per_second / status.cost.max(1) as f64;
        let rate = match self.elements {
            _ if work_a_second <= 0.0 => "rate -".to_owned(),
            Some(elements) => {
                format!("about {}/s", counted((work_a_second * elements as f64) as u64, "element"))
            }
            None => format!("{:.2} %/min", 6000.0 * work_a_second),
        };
        (share, vec![format!("{share:5.1} %"), format!("left {}", time_left(status)), rate])
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

/// A name, a bar, and as many of the parts, from the first on, as fit with it.
fn line(columns: usize, name: &str, share: f64, parts: &[String]) -> String {
    for kept in (1..=parts.len()).rev() {
        let tail = parts[..kept].join("  ");
        let bare = format!("{name}  {tail}");
        let used = measure_text_width(&bare);
        // The brackets take the place of the blanks, and have a blank of their own on either side.
        let room = columns.saturating_sub(used + 2);
        if room >= NARROWEST_BAR {
            return format!("{name} [{}] {tail}", bar(share, room.min(WIDEST_BAR)));
        }
        if used <= columns {
            return bare;
        }
    }
    parts.first().map_or(String::new(), |part| cut(part, columns))
}

/// A line for each job.
fn job_lines(columns: usize, jobs: &[JobStatus]) -> Vec<String> {
    let widest = |of: &dyn Fn(&JobStatus) -> usize| jobs.iter().map(of).max().unwrap_or(0);
    let names = widest(&|job| job.name.len());
    let digits = widest(&|job| job.slices.to_string().len());
    let one = |job: &JobStatus| {
        let share = percent(job.committed_cost, job.cost);
        let slices = format!("{:>digits$}/{:digits$} slices", job.committed, job.slices);
        let mut parts = vec![format!("{share:5.1} %"), slices];
        if job.parked > 0 {
            parts.push(format!("{} parked", job.parked));
        }
        line(columns, &format!("{:names$}", job.name), share, &parts)
    };
    jobs.iter().map(one).collect()
}

/// One line for all jobs: how many are done, and those that are being computed as far as there is room.
fn jobs_line(columns: usize, jobs: &[JobStatus]) -> String {
    let done = jobs.iter().filter(|job| job.committed == job.slices).count();
    let mut text = format!("{done} of {} done", counted(jobs.len() as u64, "job"));
    for job in jobs.iter().filter(|job| job.leased > 0) {
        let more = format!(", {} {:.0} %", job.name, percent(job.committed_cost, job.cost));
        if measure_text_width(&text) + measure_text_width(&more) > columns {
            break;
        }
        text.push_str(&more);
    }
    cut(&text, columns)
}

fn cut(text: &str, columns: usize) -> String {
    console::truncate_str(text, columns, "").into_owned()
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates of this file are well formed")
}

/// Something that takes a while.
pub(crate) struct Activity(ProgressBar);

impl Activity {
    /// Of unknown length.
    pub(crate) fn new(app: &App, what: &'static str) -> Self {
        Self::drawn(app, ProgressBar::new_spinner(), "{spinner} {elapsed} {wide_msg}", what)
    }

    /// Of `elements` steps.
    pub(crate) fn of(app: &App, what: &'static str, elements: u64) -> Self {
        let template = "{spinner} {percent:>3} %, left {eta}: {wide_msg}";
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

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(count: u32) -> Vec<JobStatus> {
        (0..count)
            .map(|number| JobStatus {
                name: ["aabc-aabb", "aa-bb"][number as usize % 2].into(),
                slices: 8 + number,
                committed: 8 * (number % 2),
                leased: number % 3,
                cost: 100,
                committed_cost: 40,
                parked: number / 10,
                ..JobStatus::default()
            })
            .collect()
    }

    #[test]
    fn lines_fit_any_width_and_begin_with_what_matters() {
        let parts = [" 74.8 %", "left 5.5 s to 6.0 s, then merging", "about 1,234,567 elements/s"];
        let parts = parts.map(str::to_owned);
        for columns in 0..200 {
            let whole = line(columns, "run 1", 74.8, &parts);
            let each = job_lines(columns, &jobs(15));
            for text in each.iter().chain([&whole, &jobs_line(columns, &jobs(15))]) {
                assert!(measure_text_width(text) <= columns, "{columns}: {text}");
            }
            assert!(columns < 7 || whole.contains("74.8 %"), "{columns}: {whole}");
        }
        let whole = |columns| line(columns, "run 1", 74.8, &parts);
        assert_eq!(whole(37), "run 1 [###############......]  74.8 %");
        assert_eq!(whole(50), "run 1   74.8 %  left 5.5 s to 6.0 s, then merging");
        assert!(whole(120).ends_with("elements/s") && whole(120).contains('#'), "{}", whole(120));
    }

    #[test]
    fn bars_of_jobs_stand_below_each_other() {
        for columns in [40, 60, 100] {
            let lines = job_lines(columns, &jobs(8));
            let ends: Vec<_> = lines.iter().map(|line| line.find(']')).collect();
            assert!(ends.iter().all(|end| *end == ends[0]), "{lines:#?}");
        }
        let text = jobs_line(60, &jobs(15));
        assert_eq!(text, "0 of 15 jobs done, aa-bb 40 %, aabc-aabb 40 %");
    }
}
