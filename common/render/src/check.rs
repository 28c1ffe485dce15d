//! Refuses what cannot be drawn, so that drawing itself cannot fail.

use fulldeck_job::picture::{Bars, Curves, Drawing, Grid, Matrix, Palette, Picture, Scale};

use crate::RenderError;

type Checked = Result<(), RenderError>;

fn refuse(what: impl Into<String>) -> Checked {
    Err(RenderError::Malformed(what.into()))
}

pub(crate) fn check(picture: &Picture) -> Checked {
    if picture.panels.is_empty() || picture.columns == 0 {
        return refuse("it has no panels");
    }
    picture.panels.iter().try_for_each(|panel| match &panel.drawing {
        Drawing::Matrix(drawing) => matrix(drawing),
        Drawing::Grid(drawing) => grid(drawing),
        Drawing::Curves(drawing) => curves(drawing),
        Drawing::Bars(drawing) => bars(drawing),
    })
}

fn scale(scale: &Scale) -> Checked {
    let good = match &scale.palette {
        Palette::Sequential { low, high } => low < high && (high - low).is_finite(),
        Palette::Diverging { centre, reach } => {
            centre.is_finite() && *reach > 0.0 && reach.is_finite()
        }
        Palette::Classes(names) => !names.is_empty(),
    };
    if good { Ok(()) } else { refuse(format!("the scale '{}' has no range", scale.label)) }
}

fn matrix(matrix: &Matrix) -> Checked {
    let (values, columns) = (matrix.values.len(), matrix.columns);
    if values == 0 || columns == 0 || !values.is_multiple_of(columns) {
        return refuse(format!("{values} values make no rows of {columns}"));
    }
    scale(&matrix.scale)
}

fn grid(grid: &Grid) -> Checked {
    let (rows, columns) = (grid.row_labels.len(), grid.column_labels.len());
    if rows == 0 || columns == 0 || grid.cells.len() != rows {
        return refuse(format!("{} rows of cells have {rows} names", grid.cells.len()));
    }
    if let Some(row) = grid.cells.iter().find(|row| row.len() != columns) {
        return refuse(format!("{} cells of a row have {columns} names", row.len()));
    }
    scale(&grid.scale)
}

fn curves(curves: &Curves) -> Checked {
    if curves.series.iter().all(|series| series.points.is_empty()) {
        return refuse("there are no points");
    }
    for (axis, part) in [(&curves.x, 0), (&curves.y, 1)] {
        let points = curves.series.iter().flat_map(|series| &series.points);
        let values = points.map(|point| point[part]).chain(axis.includes.iter().copied());
        numbers(&axis.label, axis.logarithmic, values)?;
    }
    Ok(())
}

fn bars(bars: &Bars) -> Checked {
    let categories = bars.categories.len();
    if categories == 0 || bars.series.is_empty() {
        return refuse("there are no bars");
    }
    if let Some((name, values)) = bars.series.iter().find(|(_, v)| v.len() != categories) {
        return refuse(format!("{} values of '{name}' for {categories} categories", values.len()));
    }
    let values = bars.series.iter().flat_map(|(_, values)| values).copied();
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    if values.is_empty() {
        return refuse("there are no bars");
    }
    let axis = &bars.values;
    numbers(&axis.label, axis.logarithmic, values.into_iter().chain(axis.includes.iter().copied()))
}

fn numbers(label: &str, logarithmic: bool, values: impl Iterator<Item = f64>) -> Checked {
    for value in values {
        if !value.is_finite() || (logarithmic && value <= 0.0) {
            return refuse(format!("{value} has no place on the axis '{label}'"));
        }
    }
    Ok(())
}
