//! Least squares: a line, and what a square term would add to it.

/// `y = base + slope * x`, and `y = .. + square * x²` through the same points.
#[derive(Debug, Clone, Copy)]
pub struct Fit {
    /// What it costs at zero, by the line.
    pub base: f64,
    /// What each further one costs, by the line.
    pub slope: f64,
    /// The share of the variation that the line explains.
    pub explained: f64,
    /// What the square term of the parabola is at the largest `x`, as a share of the whole there. A cost that grows with
    /// the square has most of it there.
    pub square_share: f64,
}

/// Fits through these points, of which there are at least four.
///
/// ```
/// let line = agent_benches::fit::fit(&[(1.0, 5.0), (2.0, 7.0), (3.0, 9.0), (10.0, 23.0)]);
/// assert!((line.slope - 2.0).abs() < 1e-9 && line.square_share.abs() < 1e-9);
/// let square = agent_benches::fit::fit(&[(1.0, 1.0), (2.0, 4.0), (3.0, 9.0), (10.0, 100.0)]);
/// assert!(square.square_share > 0.99);
/// ```
pub fn fit(points: &[(f64, f64)]) -> Fit {
    let line = solve(points, 2);
    let parabola = solve(points, 3);
    let count = points.len() as f64;
    let mean = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread: f64 = points.iter().map(|(_, y)| (y - mean).powi(2)).sum();
    let rest: f64 = points.iter().map(|(x, y)| (y - line[0] - line[1] * x).powi(2)).sum();
    let last = points.iter().map(|(x, _)| *x).fold(0.0, f64::max);
    let whole = parabola[0] + parabola[1] * last + parabola[2] * last * last;
    Fit {
        base: line[0],
        slope: line[1],
        explained: if spread > 0.0 { 1.0 - rest / spread } else { 1.0 },
        square_share: parabola[2] * last * last / whole,
    }
}

/// The coefficients of the polynomial of so many terms, by Gauss elimination of the normal equations.
fn solve(points: &[(f64, f64)], terms: usize) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = (0..terms)
        .map(|row| {
            let sum = |power: usize| points.iter().map(|(x, _)| x.powi(i32::try_from(power).unwrap())).sum::<f64>();
            let right = points.iter().map(|(x, y)| x.powi(i32::try_from(row).unwrap()) * y).sum();
            (0..terms).map(|column| sum(row + column)).chain([right]).collect()
        })
        .collect();
    for at in 0..terms {
        let pivot = (at..terms).max_by(|a, b| rows[*a][at].abs().total_cmp(&rows[*b][at].abs())).unwrap();
        rows.swap(at, pivot);
        let head = rows[at].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(index, _)| *index != at) {
            let times = row[at] / head[at];
            row.iter_mut().zip(&head).for_each(|(value, other)| *value -= times * other);
        }
    }
    (0..terms).map(|at| rows[at][terms] / rows[at][at]).collect()
}
