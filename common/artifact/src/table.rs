//! Tables as CSV (RFC 4180 quoting, `\n` line ends): the same rows always give the same bytes.

use std::io::{self, Write};

pub(crate) fn write(
    out: &mut dyn Write,
    header: &[&str],
    rows: &mut dyn Iterator<Item = Vec<String>>,
) -> io::Result<()> {
    line(out, header.iter().copied())?;
    for (position, row) in rows.enumerate() {
        if row.len() != header.len() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("row {position} has {} fields, the header has {}", row.len(), header.len()),
            ));
        }
        line(out, row.iter().map(String::as_str))?;
    }
    Ok(())
}

fn line<'a>(out: &mut dyn Write, fields: impl Iterator<Item = &'a str>) -> io::Result<()> {
    for (position, field) in fields.enumerate() {
        if position > 0 {
            out.write_all(b",")?;
        }
        if field.contains([',', '"', '\n', '\r']) {
            write!(out, "\"{}\"", field.replace('"', "\"\""))?;
        } else {
            out.write_all(field.as_bytes())?;
        }
    }
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rows: Vec<Vec<String>>) -> io::Result<String> {
        let mut out = Vec::new();
        write(&mut out, &["name", "count"], &mut rows.into_iter())?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn fields_are_quoted_only_when_they_must_be() {
        let rows = vec![vec!["a".into(), "1".into()], vec!["b, \"c\"".into(), "2".into()]];
        assert_eq!(text(rows).unwrap(), "name,count\na,1\n\"b, \"\"c\"\"\",2\n");
    }

    #[test]
    fn a_row_of_another_width_is_refused() {
        let error = text(vec![vec!["a".into()]]).unwrap_err();
        assert!(error.to_string().contains("row 0 has 1 fields"), "{error}");
    }
}
