//! Colours that people with any colour vision tell apart.

use fulldeck_job::picture::Palette;

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) [u8; 3]);

const fn hex(rgb: u32) -> Colour {
    Colour([(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8])
}

impl Colour {
    pub(crate) const WHITE: Self = hex(0xff_ffff);
    pub(crate) const INK: Self = hex(0x1f_1f1f);
    pub(crate) const SOFT_INK: Self = hex(0x4a_4a4a);
    pub(crate) const GRID_LINE: Self = hex(0xe3_e3e3);
    /// Of what is missing.
    pub(crate) const MISSING: Self = hex(0xcc_cccc);

    /// Black or white, whichever is read on this background.
    pub(crate) fn ink_on_it(self) -> Self {
        if self.luminance() > 0.32 { Self::INK } else { Self::WHITE }
    }

    /// Relative luminance as WCAG 2 defines it, 0 to 1.
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn towards(self, other: Self, share: f64) -> Self {
        let channel = |at: usize| {
            let (from, to) = (f64::from(self.0[at]), f64::from(other.0[at]));
            (from + (to - from) * share).round() as u8
        };
        Self([channel(0), channel(1), channel(2)])
    }
}

/// Viridis (S. van der Walt and N. Smith, 2015), at ten places.
const SEQUENTIAL: [Colour; 10] = [
    hex(0x44_0154),
    hex(0x48_2878),
    hex(0x3e_4989),
    hex(0x31_688e),
    hex(0x26_828e),
    hex(0x1f_9e89),
    hex(0x35_b779),
    hex(0x6e_ce58),
    hex(0xb5_de2b),
    hex(0xfd_e725),
];
/// From blue over nearly white to orange.
const DIVERGING: [Colour; 7] = [
    hex(0x1b_4f91),
    hex(0x5b_94cc),
    hex(0xb9_d3ea),
    hex(0xf6_f6f4),
    hex(0xf8_cf9e),
    hex(0xe5_9039),
    hex(0xa8_5208),
];
/// Of kinds without an order.
const CLASSES: [Colour; 4] = [hex(0xe6_9138), hex(0xcf_e2f3), hex(0x7f_c4a8), hex(0xb9_a3d0)];
/// Lines and bars: the palette of M. Okabe and K. Ito without its yellow, which white paper swallows.
const SERIES: [Colour; 8] = [
    hex(0x00_72b2),
    hex(0xd5_5e00),
    hex(0x00_9e73),
    hex(0xcc_79a7),
    hex(0xe6_9f00),
    hex(0x56_b4e9),
    hex(0x00_0000),
    hex(0x8c_8c8c),
];
/// Lines differ in more than colour.
const DASHES: [&[f64]; 4] = [&[], &[9.0, 4.0], &[3.0, 3.0], &[12.0, 4.0, 3.0, 4.0]];

/// Colour and dashes of series number `at`.
pub(crate) fn of_series(at: usize) -> (Colour, &'static [f64]) {
    (SERIES[at % SERIES.len()], DASHES[at % DASHES.len()])
}

/// The colour of a value; of what is not finite, that of what is missing.
pub(crate) fn of(palette: &Palette, value: f64) -> Colour {
    if !value.is_finite() {
        return Colour::MISSING;
    }
    match palette {
        Palette::Sequential { low, high } => between(&SEQUENTIAL, (value - low) / (high - low)),
        Palette::Diverging { centre, reach } => {
            between(&DIVERGING, ((value - centre) / reach + 1.0) / 2.0)
        }
        Palette::Classes(_) => CLASSES[value.max(0.0) as usize % CLASSES.len()],
    }
}

/// Both ends of an ordered palette.
pub(crate) fn ends(palette: &Palette) -> Option<[f64; 2]> {
    match palette {
        Palette::Sequential { low, high } => Some([*low, *high]),
        Palette::Diverging { centre, reach } => Some([centre - reach, centre + reach]),
        Palette::Classes(_) => None,
    }
}

fn between(colours: &[Colour], share: f64) -> Colour {
    let place = share.clamp(0.0, 1.0) * (colours.len() - 1) as f64;
    let first = (place as usize).min(colours.len() - 2);
    colours[first].towards(colours[first + 1], place - first as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_beyond_an_end_have_its_colour_and_the_centre_is_neutral() {
        let palette = Palette::Diverging { centre: 50.0, reach: 40.0 };
        assert_eq!(of(&palette, 50.0), DIVERGING[3]);
        assert_eq!(of(&palette, 200.0), DIVERGING[6]);
        assert_eq!(of(&palette, 10.0), DIVERGING[0]);
        assert_eq!(of(&palette, f64::NAN), Colour::MISSING);
        assert_eq!(ends(&palette), Some([10.0, 90.0]));
    }

    /// In grey, too, a sequential scale rises: printers and eyes without colour read it.
    #[test]
    fn the_sequential_scale_rises_in_lightness() {
        let palette = Palette::Sequential { low: 0.0, high: 255.0 };
        let light: Vec<_> = (0..256).map(|at| of(&palette, at.into()).luminance()).collect();
        assert!(light.windows(2).all(|pair| pair[0] <= pair[1] + 1e-3), "{light:?}");
    }

    #[test]
    fn text_stands_out_from_every_colour() {
        let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
        let palettes = [
            Palette::Sequential { low: 0.0, high: 99.0 },
            Palette::Diverging { centre: 49.5, reach: 49.5 },
        ];
        for palette in palettes {
            for at in 0..100 {
                let colour = of(&palette, at.into());
                let found = contrast(colour.luminance(), colour.ink_on_it().luminance());
                assert!(found > 2.8, "{palette:?} {at}: {found}");
            }
        }
    }
}
