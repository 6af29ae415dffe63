//! Axes become points: the settings of each.

use super::error::AxisError;

const MAX_POINTS: usize = 10_000;

/// Option with one value per point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    pub option: String,
    pub values: Vec<String>,
}

impl Axis {
    pub fn is_load(&self) -> bool {
        ["-o", "-O", "-t", "-F"].contains(&self.option.as_str())
    }

    pub fn is_rate(&self) -> bool {
        ["-g", "--rate-total"].contains(&self.option.as_str())
    }

    fn axis_numbers(&self) -> impl Iterator<Item = u64> {
        self.values.iter().filter_map(|value| value.parse().ok())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Setting {
    pub option: String,
    pub value: String,
}

/// The settings of every point, one per axis: all combinations, the last axis going fastest.
///
/// # Errors
/// Fails if there are too many points.
pub fn points(axes: &[Axis]) -> Result<Vec<Vec<Setting>>, AxisError> {
    let count = axes.iter().try_fold(1_usize, |product, axis| product.checked_mul(axis.values.len()));
    let count = count.filter(|count| *count <= MAX_POINTS).ok_or(AxisError::ManyPoints(MAX_POINTS))?;
    Ok((0..count).map(|number| grid_point(axes, number)).collect())
}

fn grid_point(axes: &[Axis], number: usize) -> Vec<Setting> {
    let mut rest = number;
    let mut settings = Vec::new();
    for axis in axes.iter().rev() {
        let value = axis.values[rest % axis.values.len()].clone();
        rest /= axis.values.len();
        settings.push(Setting { option: axis.option.clone(), value });
    }
    settings.reverse();
    settings
}

/// Returns the points with the same product of threads and depth (`--diagonal`). The product is from the
/// smallest `-t` with the largest `-o`. If `-o` is not an axis, `depth` applies to the smallest `-t`, and
/// each other value gets a matching depth.
///
/// # Errors
/// Fails if there is no diagonal.
pub fn diagonal(axes: &[Axis], depth: Option<u64>) -> Result<Vec<Vec<Setting>>, AxisError> {
    let find = |name: &str| axes.iter().find(|axis| axis.option == name);
    let threads = find("-t").ok_or(AxisError::NoThreads)?;
    let largest = find("-o").map_or(depth, |axis| axis.axis_numbers().max());
    let (Some(smallest), Some(largest)) = (threads.axis_numbers().min(), largest) else {
        return Err(AxisError::NoDepth);
    };
    let product = smallest.saturating_mul(largest);
    let mut all = axes.to_vec();
    if find("-o").is_none() {
        let depths = threads.axis_numbers().filter(|threads| *threads > 0).map(|threads| product / threads);
        let mut values: Vec<String> = depths.map(|depth| depth.to_string()).collect();
        values.dedup();
        all.push(Axis { option: "-o".into(), values });
    }
    let is_on_it = |settings: &Vec<Setting>| {
        let value = |name: &str| settings.iter().find(|s| s.option == name)?.value.parse::<u64>().ok();
        value("-t").zip(value("-o")).and_then(|(t, o)| t.checked_mul(o)) == Some(product)
    };
    let found: Vec<Vec<Setting>> = points(&all)?.into_iter().filter(is_on_it).collect();
    match found.len() {
        0 | 1 => Err(AxisError::NoDiagonal { product }),
        _ => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_axes(axes: &[(&str, &[u64])]) -> Vec<Axis> {
        let axis = |(option, values): &(&str, &[u64])| Axis {
            option: (*option).into(),
            values: values.iter().map(u64::to_string).collect(),
        };
        axes.iter().map(axis).collect()
    }

    fn write_points(points: &[Vec<Setting>]) -> Vec<String> {
        let text = |settings: &Vec<Setting>| settings.iter().map(Setting::written).collect::<Vec<_>>();
        points.iter().map(|settings| text(settings).join(" ")).collect()
    }

    #[test]
    fn grid_has_every_combination_and_one_point_without_axes() {
        let found = points(&sample_axes(&[("-t", &[1, 2]), ("-o", &[4, 8])])).unwrap();
        assert_eq!(write_points(&found), ["-t1 -o4", "-t1 -o8", "-t2 -o4", "-t2 -o8"]);
        assert_eq!(points(&[]).unwrap(), [vec![]]);
        let many: Vec<u64> = (1..=200).collect();
        let message = points(&sample_axes(&[("-o", &many), ("-t", &many)])).unwrap_err();
        assert!(message.to_string().contains("more than 10000 points"), "{message}");
    }

    #[test]
    fn diagonal_keeps_product_of_threads_and_depth() {
        const EIGHT: &[u64] = &[1, 2, 4, 8];
        for (given, depth) in [(&[("-t", EIGHT)][..], Some(8)), (&[("-t", EIGHT), ("-o", EIGHT)], None)] {
            let found = diagonal(&sample_axes(given), depth).unwrap();
            assert_eq!(write_points(&found), ["-t1 -o8", "-t2 -o4", "-t4 -o2", "-t8 -o1"]);
        }
        for (given, depth, why) in [
            (&[][..], Some(8), "give the threads"),
            (&[("-t", EIGHT)], None, "give the depth"),
            (&[("-t", &[3, 5])], Some(7), "fewer than two"),
        ] {
            let message = diagonal(&sample_axes(given), depth).unwrap_err();
            assert!(message.to_string().contains(why), "{message}");
        }
    }
}
