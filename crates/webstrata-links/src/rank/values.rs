//! What stands at a page: one number, or the numbers of many rankings side by side.

use super::exchange::Numbers;
use super::rows::FOUR;

/// Which of the last four entries count, by how many there are modulo four.
const COUNTS: [[f32; FOUR]; FOUR] =
    [[1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]];

/// The values of a page in all rankings that are computed together.
///
/// Reading a link costs about the same whatever hangs on it, so that sixteen rankings at once are a fraction of the
/// price of sixteen runs.
pub trait Value: Copy + Send + Sync + 'static {
    /// A single number.
    type Number: Copy + Send + Sync + PartialEq + 'static;
    /// A sum of values while it is added up; wider where that is free.
    type Sum: Copy + Default;
    /// How many rankings.
    const LANES: usize;
    /// Nothing in every ranking.
    const ZERO: Self;

    /// Rounds.
    fn number(value: f64) -> Self::Number;
    /// What was rounded.
    fn wide(number: Self::Number) -> f64;
    /// The value of one ranking.
    fn lane(&self, lane: usize) -> f64;
    /// Sets the value of one ranking, rounded.
    fn set_lane(&mut self, lane: usize, value: f64);
    /// Adds, ranking by ranking.
    fn add(&mut self, other: &Self);
    /// Multiplies all by a number.
    fn scaled(self, factor: Self::Number) -> Self;
    /// Takes a value out of a sum.
    fn take(from: &mut Self::Sum, value: &Self);
    /// Adds a multiple of a value to a sum.
    fn give(into: &mut Self::Sum, value: &Self, factor: Self::Number);
    /// Multiplies a sum.
    fn grow(sum: &mut Self::Sum, factor: f64);
    /// Adds the distance from another value.
    fn add_distance(&mut self, from: &Self, to: &Self);
    /// Adds values that lie side by side to a sum.
    fn sum(into: &mut Self::Sum, values: &[Self]);
    /// Adds the values at the positions of some entries to a sum.
    fn gather<E>(
        into: &mut Self::Sum,
        values: &[Self],
        entries: &[E],
        position: impl Fn(&E) -> usize,
    );
    /// The same for `count` entries that are filled up to whole fours; what fills up has a position, too.
    fn gather_fours<E>(
        into: &mut Self::Sum,
        values: &[Self],
        entries: &[[E; FOUR]],
        count: usize,
        position: impl Fn(&E) -> usize,
    );
    /// What a sum is, and more.
    fn with(self, sum: &Self::Sum) -> Self;
    /// As they are sent to other partitions.
    fn pack(values: &[Self]) -> Numbers;
    /// As they came; nothing if it is not what [`Value::pack`] has made.
    fn unpack(numbers: Numbers) -> Option<Vec<Self>>;
}

/// Values that are summed in their own precision, before they go into a sum: the errors of rounding grow with them.
const BLOCK: usize = 128;

/// Several rankings, side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(16))]
pub struct Lanes<F, const L: usize>([F; L]);

impl<F: Copy + Default, const L: usize> Default for Lanes<F, L> {
    fn default() -> Self {
        Lanes([F::default(); L])
    }
}

/// A float as the only ranking, and several. Sums go through several accumulators: one addition need not wait for
/// the other.
macro_rules! values_of {
    ($float:ty, $packed:ident) => {
        impl Value for $float {
            type Number = $float;
            type Sum = f64;
            const LANES: usize = 1;
            const ZERO: Self = 0.0;

            fn number(value: f64) -> $float {
                value as $float
            }
            fn wide(number: $float) -> f64 {
                f64::from(number)
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
            fn take(from: &mut f64, value: &Self) {
                *from -= f64::from(*value);
            }
            #[inline]
            fn give(into: &mut f64, value: &Self, factor: $float) {
                *into += f64::from(*value) * f64::from(factor);
            }
            #[inline]
            fn grow(sum: &mut f64, factor: f64) {
                *sum *= factor;
            }
            #[inline]
            fn add_distance(&mut self, from: &Self, to: &Self) {
                *self += (from - to).abs();
            }
            #[inline]
            fn sum(into: &mut f64, values: &[Self]) {
                for values in values.chunks(BLOCK) {
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
                    *into += f64::from(sum);
                }
            }
            #[inline]
            fn gather<E>(
                into: &mut f64,
                values: &[Self],
                entries: &[E],
                position: impl Fn(&E) -> usize,
            ) {
                for entries in entries.chunks(BLOCK) {
                    let (chunks, rest) = entries.as_chunks::<4>();
                    let mut sums = [0.0; 4];
                    for chunk in chunks {
                        for (sum, entry) in sums.iter_mut().zip(chunk) {
                            *sum += values[position(entry)];
                        }
                    }
                    let mut sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
                    for entry in rest {
                        sum += values[position(entry)];
                    }
                    *into += f64::from(sum);
                }
            }
            #[inline]
            fn gather_fours<E>(
                into: &mut f64,
                values: &[Self],
                entries: &[[E; FOUR]],
                count: usize,
                position: impl Fn(&E) -> usize,
            ) {
                let Some((last, whole)) = entries.split_last() else { return };
                let mut sums = [0.0; FOUR];
                for four in whole {
                    for (sum, entry) in sums.iter_mut().zip(four) {
                        *sum += values[position(entry)];
                    }
                }
                // What fills up counts nothing.
                let counts: [$float; FOUR] = COUNTS[count % FOUR].map(<$float>::from);
                for ((sum, entry), counts) in sums.iter_mut().zip(last).zip(counts) {
                    *sum += values[position(entry)] * counts;
                }
                *into += f64::from((sums[0] + sums[1]) + (sums[2] + sums[3]));
            }
            #[inline]
            fn with(self, sum: &f64) -> Self {
                (f64::from(self) + sum) as $float
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
            type Sum = Self;
            const LANES: usize = L;
            const ZERO: Self = Lanes([0.0; L]);

            fn number(value: f64) -> $float {
                value as $float
            }
            fn wide(number: $float) -> f64 {
                f64::from(number)
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
            fn take(from: &mut Self, value: &Self) {
                for (sum, value) in from.0.iter_mut().zip(&value.0) {
                    *sum -= value;
                }
            }
            #[inline]
            fn give(into: &mut Self, value: &Self, factor: $float) {
                into.add(&value.scaled(factor));
            }
            #[inline]
            fn grow(sum: &mut Self, factor: f64) {
                *sum = sum.scaled(factor as $float);
            }
            #[inline]
            fn add_distance(&mut self, from: &Self, to: &Self) {
                for ((sum, from), to) in self.0.iter_mut().zip(&from.0).zip(&to.0) {
                    *sum += (from - to).abs();
                }
            }
            #[inline]
            fn sum(into: &mut Self, values: &[Self]) {
                for values in values.chunks(BLOCK) {
                    let (mut even, mut odd) = (Self::ZERO, Self::ZERO);
                    let (pairs, rest) = values.as_chunks::<2>();
                    for [a, b] in pairs {
                        even.add(a);
                        odd.add(b);
                    }
                    rest.iter().for_each(|value| even.add(value));
                    even.add(&odd);
                    into.add(&even);
                }
            }
            #[inline]
            fn gather<E>(
                into: &mut Self,
                values: &[Self],
                entries: &[E],
                position: impl Fn(&E) -> usize,
            ) {
                for entries in entries.chunks(BLOCK) {
                    let (mut even, mut odd) = (Self::ZERO, Self::ZERO);
                    let (pairs, rest) = entries.as_chunks::<2>();
                    for [a, b] in pairs {
                        even.add(&values[position(a)]);
                        odd.add(&values[position(b)]);
                    }
                    rest.iter().for_each(|entry| even.add(&values[position(entry)]));
                    even.add(&odd);
                    into.add(&even);
                }
            }
            #[inline]
            fn gather_fours<E>(
                into: &mut Self,
                values: &[Self],
                entries: &[[E; FOUR]],
                count: usize,
                position: impl Fn(&E) -> usize,
            ) {
                // Here a value is more than a guess that goes wrong.
                Self::gather(into, values, &entries.as_flattened()[..count], position);
            }
            #[inline]
            fn with(mut self, sum: &Self) -> Self {
                self.add(sum);
                self
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
