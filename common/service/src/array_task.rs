//! Which element of an array job this process is, by the word of the engine that started it.

/// Place of this process among its siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayTask {
    /// From 0.
    pub index: u32,
    /// How many there are, if the engine says so.
    pub of: Option<u32>,
}

/// Why it is not known which element this process is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArrayTaskError {
    /// None of the variables is set.
    #[error(
        "no array job is known here: none of {} is set; give the number itself", VARIABLES.join(", ")
    )]
    None,
    /// A variable makes no sense.
    #[error("{name}={value} is no number of an array element")]
    Odd {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// Elements are missing between the first and the last, so that it is not known which this one is.
    #[error(
        "the array has gaps: say how many parts there are with --of, then the number is that of the element"
    )]
    Gaps,
}

const SLURM: &str = "SLURM_ARRAY_TASK_ID";
const KUBERNETES: &str = "JOB_COMPLETION_INDEX";
const PBS: [&str; 2] = ["PBS_ARRAY_INDEX", "PBS_ARRAYID"];
const VARIABLES: [&str; 4] = [SLURM, KUBERNETES, PBS[0], PBS[1]];

impl ArrayTask {
    /// From the variables that Slurm, Kubernetes (indexed jobs) and PBS set; `variable` looks one up. Where it is known
    /// how many parts there are (`of`), the number is that of the element itself; else arrays of Slurm may start
    /// anywhere, and their size counts.
    ///
    /// # Errors
    /// [`ArrayTaskError`].
    pub fn find(
        of: Option<u32>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ArrayTaskError> {
        let number = |name: &'static str| -> Result<Option<u32>, ArrayTaskError> {
            variable(name)
                .map(|value| value.trim().parse().map_err(|_| ArrayTaskError::Odd { name, value }))
                .transpose()
        };
        let Some(element) = number(SLURM)? else {
            for name in VARIABLES {
                if let Some(index) = number(name)? {
                    return Ok(Self { index, of });
                }
            }
            return Err(ArrayTaskError::None);
        };
        if of.is_some() {
            return Ok(Self { index: element, of });
        }
        let (first, last, count) = (
            number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(0),
            number("SLURM_ARRAY_TASK_MAX")?,
            number("SLURM_ARRAY_TASK_COUNT")?,
        );
        match (element.checked_sub(first), last.and_then(|last| last.checked_sub(first)), count) {
            (Some(index), Some(span), Some(count)) if u64::from(span) + 1 == u64::from(count) => {
                Ok(Self { index, of: Some(count) })
            }
            (Some(index), None, _) => Ok(Self { index, of: count }),
            _ => Err(ArrayTaskError::Gaps),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(of: Option<u32>, set: &[(&str, &str)]) -> Result<ArrayTask, ArrayTaskError> {
        let value = |name: &str| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        ArrayTask::find(of, value)
    }

    #[test]
    fn slurm_counts_from_the_first_element() {
        let array = [
            ("SLURM_ARRAY_TASK_ID", "7"),
            ("SLURM_ARRAY_TASK_MIN", "5"),
            ("SLURM_ARRAY_TASK_MAX", "8"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
        ];
        assert_eq!(find(None, &array), Ok(ArrayTask { index: 2, of: Some(4) }));
        assert_eq!(find(Some(16), &array), Ok(ArrayTask { index: 7, of: Some(16) }));
    }

    #[test]
    fn an_array_with_gaps_needs_the_number_of_parts() {
        let array = [
            ("SLURM_ARRAY_TASK_ID", "7"),
            ("SLURM_ARRAY_TASK_MIN", "3"),
            ("SLURM_ARRAY_TASK_MAX", "7"),
            ("SLURM_ARRAY_TASK_COUNT", "2"),
        ];
        assert_eq!(find(None, &array), Err(ArrayTaskError::Gaps));
        assert_eq!(find(Some(8), &array), Ok(ArrayTask { index: 7, of: Some(8) }));
    }

    #[test]
    fn other_engines_say_the_index_alone() {
        for name in ["JOB_COMPLETION_INDEX", "PBS_ARRAY_INDEX", "PBS_ARRAYID"] {
            assert_eq!(find(Some(4), &[(name, "3")]), Ok(ArrayTask { index: 3, of: Some(4) }));
            assert_eq!(find(None, &[(name, "3")]), Ok(ArrayTask { index: 3, of: None }));
            let odd = find(None, &[(name, "x")]).unwrap_err().to_string();
            assert!(odd.contains(name), "{odd}");
        }
        assert!(find(None, &[]).unwrap_err().to_string().contains("SLURM_ARRAY_TASK_ID"));
    }
}
