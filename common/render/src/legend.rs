//! What colours mean: a bar of a scale, or a list of names.

use fulldeck_job::picture::{Palette, Scale};

use crate::colour::{self, Colour};
use crate::font;
use crate::scene::{AXIS, Anchor, Item, Scene, TICK};
use crate::ticks;

/// Width of a bar of colours.
const BAR: f64 = 20.0;
/// Steps of a bar.
const STEPS: usize = 256;
/// Height of a line of a list.
const LINE: f64 = 26.0;
/// Side of a sample of colour.
const SAMPLE: f64 = 16.0;
/// Distance from the panel.
const BEFORE: f64 = 26.0;

/// The legend of a scale beside something of this height.
pub(crate) fn of_scale(scale: &Scale, height: f64) -> Scene {
    let mut scene = match &scale.palette {
        Palette::Classes(names) => {
            let names = names
                .iter()
                .enumerate()
                .map(|(class, name)| (name.as_str(), colour::of(&scale.palette, class as f64)));
            samples(&scale.label, names)
        }
        palette => bar(&scale.label, palette, height.min(640.0)),
    };
    if !scale.missing.is_empty() {
        let y = scene.height + 18.0;
        sample(&mut scene, y, &scale.missing, Colour::MISSING);
    }
    scene
}

fn bar(label: &str, palette: &Palette, height: f64) -> Scene {
    let mut scene = Scene::default();
    let Some([low, high]) = colour::ends(palette) else { return scene };
    let pixels = (0..STEPS)
        .rev()
        .map(|step| colour::of(palette, low + (high - low) * (step as f64 + 0.5) / STEPS as f64));
    // Room for the missing below.
    let height = (height - 44.0).max(120.0);
    let (at, size) = ([BEFORE, 0.0], [BAR, height]);
    scene.items.push(Item::Image { at, size, columns: 1, pixels: pixels.collect() });
    let mut widest = 0.0f64;
    for tick in ticks::even(low, high, (height / 60.0) as usize) {
        let y = height * (1.0 - (tick.value - low) / (high - low));
        scene.line([BEFORE + BAR, y], [BEFORE + BAR + 5.0, y], Colour::INK, 1.0);
        scene.centred(&tick.label, [BEFORE + BAR + 9.0, y], Anchor::Start, TICK);
        widest = widest.max(font::width(&tick.label, TICK.size));
    }
    let right = BEFORE + BAR + 9.0 + widest;
    scene.upwards(label, [right + 18.0, height / 2.0], AXIS);
    scene.width = right + 30.0;
    scene.height = height;
    scene
}

fn sample(scene: &mut Scene, y: f64, name: &str, colour: Colour) {
    scene.rect([BEFORE, y], [SAMPLE, SAMPLE], colour);
    let at = [BEFORE + SAMPLE + 8.0, y + SAMPLE / 2.0];
    scene.centred(name, at, Anchor::Start, TICK);
    scene.width = scene.width.max(at[0] + font::width(name, TICK.size));
    scene.height = y + LINE;
}

/// A title, and a sample of colour with its name a line.
pub(crate) fn samples<'a>(title: &str, names: impl Iterator<Item = (&'a str, Colour)>) -> Scene {
    let mut scene = titled(title);
    for (name, colour) in names {
        let y = scene.height;
        sample(&mut scene, y, name, colour);
    }
    scene
}

/// A piece of each line with its name.
pub(crate) fn of_lines<'a>(names: impl Iterator<Item = &'a str>) -> Scene {
    let mut scene = titled("");
    for (at, name) in names.enumerate() {
        let (colour, dash) = colour::of_series(at);
        let y = scene.height + SAMPLE / 2.0;
        let points = vec![[BEFORE, y], [BEFORE + 34.0, y]];
        scene.items.push(Item::Line { points, colour, width: 2.4, dash });
        scene.centred(name, [BEFORE + 42.0, y], Anchor::Start, TICK);
        scene.width = scene.width.max(BEFORE + 42.0 + font::width(name, TICK.size));
        scene.height += LINE;
    }
    scene
}

fn titled(title: &str) -> Scene {
    let mut scene = Scene::default();
    if !title.is_empty() {
        scene.centred(title, [BEFORE, 8.0], Anchor::Start, AXIS);
        scene.width = BEFORE + font::width(title, AXIS.size);
        scene.height = 30.0;
    }
    scene
}
