//! What stands at a page: one number, or the numbers of many rankings side by side.

use super::exchange::Numbers;

/// The values of a page in all rankings that are computed together.
///
/// Reading a link costs about the same whatever hangs on it, so that sixteen rankings at once are a fraction of the
/// price of sixteen runs.
pub trait Value: Copy + Send + Sync + 'static {
    /// A single number.
    type Number: Copy + Send + Sync + PartialEq + 'static;
    /// How many rankings.
    const LANES: usize;
    /// Nothing in every ranking.
    const ZERO: Self;

    /// Rounds.
    fn number(value: f64) -> Self::Number;
    /// The value of one ranking.
    fn lane(&self, lane: usize) -> f64;
    /// Sets the value of one ranking, rounded.
    fn set_lane(&mut self, lane: usize, value: f64);
    /// Adds, ranking by ranking.
    fn add(&mut self, other: &Self);
    /// Multiplies all by a number.
    fn scaled(self, factor: Self::Number) -> Self;
    /// Adds the distance from another value.
    fn add_distance(&mut self, from: &Self, to: &Self);
    /// The sum of values that lie side by side.
    fn sum(values: &[Self]) -> Self;
    /// The sum of the values at positions.
    fn gather(values: &[Self], positions: impl Iterator<Item = usize>) -> Self;
    /// As they are sent to other partitions.
    fn pack(values: &[Self]) -> Numbers;
    /// As they came; nothing if it is not what [`Value::pack`] has made.
    fn unpack(numbers: Numbers) -> Option<Vec<Self>>;
}

/// Several rankings, side by side in a line of the cache.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(16))]
pub struct Lanes<F, const L: usize>([F; L]);

/// A float as the only ranking, and several. Sums go through several accumulators: one addition need not wait for
/// the other.
macro_rules! values_of {
    ($float:ty, $packed:ident) => {
        impl Value for $float {
            type Number = $float;
            const LANES: usize = 1;
            const ZERO: Self = 0.0;

            fn number(value: f64) -> $float {
                value as $float
            }
            fn lane(&self, _lane: usize) -> f64 {
                f64::from(*self)
            }
            fn set_lane(&mut self, _lane: usize, value: f64) {
                *self = value as $float;
            }
            #[inline]
            fn add(&mut self, other: &Self) {
                *self += other;
            }
            #[inline]
            fn scaled(self, factor: $float) -> Self {
                self * factor
            }
            #[inline]
            fn add_distance(&mut self, from: &Self, to: &Self) {
                *self += (from - to).abs();
            }
            #[inline]
            fn sum(values: &[Self]) -> Self {
                let (chunks, rest) = values.as_chunks::<8>();
                let mut sums = [0.0; 8];
                for chunk in chunks {
                    for (sum, value) in sums.iter_mut().zip(chunk) {
                        *sum += value;
                    }
                }
                let [a, b, c, d, e, f, g, h] = sums;
                let mut sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
                for value in rest {
                    sum += value;
                }
                sum
            }
            #[inline]
            fn gather(values: &[Self], mut positions: impl Iterator<Item = usize>) -> Self {
                let mut sums = [0.0; 4];
                loop {
                    for sum in &mut sums {
                        let Some(position) = positions.next() else {
                            return (sums[0] + sums[1]) + (sums[2] + sums[3]);
                        };
                        *sum += values[position];
                    }
                }
            }
            fn pack(values: &[Self]) -> Numbers {
                Numbers::$packed(values.to_vec())
            }
            fn unpack(numbers: Numbers) -> Option<Vec<Self>> {
                match numbers {
                    Numbers::$packed(values) => Some(values),
                    _ => None,
                }
            }
        }

        impl<const L: usize> Value for Lanes<$float, L> {
            type Number = $float;
            const LANES: usize = L;
            const ZERO: Self = Lanes([0.0; L]);

            fn number(value: f64) -> $float {
                value as $float
            }
            fn lane(&self, lane: usize) -> f64 {
                f64::from(self.0[lane])
            }
            fn set_lane(&mut self, lane: usize, value: f64) {
                self.0[lane] = value as $float;
            }
            #[inline]
            fn add(&mut self, other: &Self) {
                for (sum, value) in self.0.iter_mut().zip(&other.0) {
                    *sum += value;
                }
            }
            #[inline]
            fn scaled(mut self, factor: $float) -> Self {
                for value in &mut self.0 {
                    *value *= factor;
                }
                self
            }
            #[inline]
            fn add_distance(&mut self, from: &Self, to: &Self) {
                for ((sum, from), to) in self.0.iter_mut().zip(&from.0).zip(&to.0) {
                    *sum += (from - to).abs();
                }
            }
            #[inline]
            fn sum(values: &[Self]) -> Self {
                Self::gather(values, 0..values.len())
            }
            #[inline]
            fn gather(values: &[Self], mut positions: impl Iterator<Item = usize>) -> Self {
                let (mut even, mut odd) = (Self::ZERO, Self::ZERO);
                loop {
                    let Some(position) = positions.next() else { break };
                    even.add(&values[position]);
                    let Some(position) = positions.next() else { break };
                    odd.add(&values[position]);
                }
                even.add(&odd);
                even
            }
            fn pack(values: &[Self]) -> Numbers {
                Numbers::$packed(values.iter().flat_map(|value| value.0).collect())
            }
            fn unpack(numbers: Numbers) -> Option<Vec<Self>> {
                let Numbers::$packed(numbers) = numbers else { return None };
                let (values, rest) = numbers.as_chunks::<L>();
                rest.is_empty().then(|| values.iter().map(|value| Lanes(*value)).collect())
            }
        }
    };
}

values_of!(f32, Single);
values_of!(f64, Double);
