//! The network that `strata-max` asks besides the trees: convolutions over the blocks of a page.
//!
//! Trees judge each block by numbers that somebody thought of. The network sees the same numbers of all blocks in the
//! order of the page, and learns by itself what to make of those around a block, near and far. It is worth most
//! where both are asked ([`MaxModel`](super::max_model::MaxModel)).
//!
//! Numbers of blocks are squashed, brought to one scale and mixed to `width` channels. Each layer then adds to the
//! channels of a block what it finds in three blocks: the block itself and those `reach` above and below it. The reaches
//! double from layer to layer. Half of the way a mean over the page is added. All arithmetic is done in one order, so
//! that all machines get the same bits.

use super::bytes::{Reader, Writer, damaged};
use super::rows::{LANES, Rows, lengthen};
use crate::clock::{ATOMS_PER_CHECK, Clock, Steps};
use crate::error::Error;

/// Channels that are summed up side by side.
const CHUNK: usize = 32;
/// Inputs beyond this many standard deviations say no more.
const GREATEST_INPUT: f32 = 6.0;
/// Keeps channels that are all alike from being divided by nothing.
const LEAST_VARIANCE: f32 = 1e-5;
/// Of a file: no network that is of use has more.
const MAX_WIDTH: u32 = 512;
const MAX_LAYERS: u32 = 16;

/// A network over the blocks of a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Network {
    /// The mean and the inverse of the deviation of each input.
    scales: Vec<(f32, f32)>,
    input: Dense,
    layers: Vec<Layer>,
    /// From the mean over the page to what is added to each block.
    page: Dense,
    hidden: Dense,
    output: Dense,
}

/// What is added to the channels of a block: of three blocks that are so far apart.
#[derive(Clone, Debug, PartialEq)]
struct Layer {
    reach: usize,
    /// Channels are brought to one scale first, times and plus these.
    norm: Vec<(f32, f32)>,
    above: Dense,
    own: Dense,
    below: Dense,
}

/// Sums of inputs, each weighed.
#[derive(Clone, Debug, PartialEq)]
struct Dense {
    bias: Vec<f32>,
    inputs: usize,
    /// The weights of each input for a chunk of outputs, input after input, chunk after chunk.
    weights: Vec<[f32; CHUNK]>,
}

impl Dense {
    /// Adds the weighed inputs to the outputs.
    fn add(&self, inputs: &[f32], outputs: &mut [f32]) {
        let weights = self.weights.chunks_exact(self.inputs.max(1));
        for (weights, outputs) in weights.zip(outputs.as_chunks_mut::<CHUNK>().0) {
            let mut sums = *outputs;
            for (input, weights) in inputs.iter().zip(weights) {
                sums = std::array::from_fn(|at| sums[at] + input * weights[at]);
            }
            *outputs = sums;
        }
    }

    /// How far outputs reach, filled up to whole chunks.
    fn padded(&self) -> usize {
        self.weights.len() / self.inputs.max(1) * CHUNK
    }

    fn read(from: &mut Reader<'_>, inputs: usize, outputs: usize) -> Result<Dense, Error> {
        let numbers = read_numbers(from, inputs * outputs)?;
        let chunks = outputs.div_ceil(CHUNK);
        let mut weights = vec![[0.0; CHUNK]; inputs * chunks];
        for (input, row) in numbers.chunks_exact(outputs.max(1)).enumerate() {
            for (output, weight) in row.iter().enumerate() {
                weights[output / CHUNK * inputs + input][output % CHUNK] = *weight;
            }
        }
        Ok(Dense { bias: read_numbers(from, outputs)?, inputs, weights })
    }

    fn write(&self, to: &mut Writer) {
        for input in 0..self.inputs {
            for output in 0..self.bias.len() {
                let weights = &self.weights[output / CHUNK * self.inputs + input];
                to.u16(halve(weights[output % CHUNK]));
            }
        }
        self.bias.iter().for_each(|bias| to.u16(halve(*bias)));
    }
}

impl Network {
    /// The logarithm of the odds of each block to be content, unless the time is over before.
    pub(super) fn scores(&self, rows: &Rows, words: &[f32], clock: &Clock) -> Option<Vec<f32>> {
        let width = self.input.bias.len();
        let mut channels = self.mix(rows);
        let mut scaled = vec![0.0; channels.len()];
        let middle = self.layers.len() / 2;
        for (at, layer) in self.layers.iter().enumerate() {
            layer.apply(&mut channels, &mut scaled, clock)?;
            if at == middle {
                self.add_page(&mut channels, words);
            }
        }
        let mut hidden = vec![0.0; self.hidden.padded()];
        let mut output = vec![0.0; self.output.padded()];
        let of_block = |channels: &[f32]| {
            hidden[..width].copy_from_slice(&self.hidden.bias);
            self.hidden.add(channels, &mut hidden);
            hidden.iter_mut().for_each(|value| *value = value.max(0.0));
            output[0] = self.output.bias[0];
            self.output.add(&hidden[..width], &mut output);
            output[0]
        };
        Some(channels.chunks_exact(width).map(of_block).collect())
    }

    /// The first channels of all blocks, block after block.
    fn mix(&self, rows: &Rows) -> Vec<f32> {
        let width = self.input.bias.len();
        let mut channels = vec![0.0; rows.len() * width];
        let mut inputs = vec![[0.0f32; LANES]; self.scales.len()];
        for (tile, channels) in rows.tiles().zip(channels.chunks_mut(LANES * width)) {
            for ((values, to), (mean, scale)) in tile.iter().zip(&mut inputs).zip(&self.scales) {
                *to = values.map(|value| {
                    let scaled = (squash(lengthen(value)) - mean) * scale;
                    scaled.clamp(-GREATEST_INPUT, GREATEST_INPUT)
                });
            }
            // Here blocks stand side by side, not channels: that is how rows have them.
            for channel in 0..width {
                let weights = &self.input.weights[channel / CHUNK * self.input.inputs..];
                let mut sums = [self.input.bias[channel]; LANES];
                for (values, weights) in inputs.iter().zip(weights) {
                    let weight = weights[channel % CHUNK];
                    sums = std::array::from_fn(|lane| sums[lane] + values[lane] * weight);
                }
                for (block, sum) in channels.chunks_exact_mut(width).zip(sums) {
                    block[channel] = sum.max(0.0);
                }
            }
        }
        channels
    }

    /// Adds to all blocks what the mean over the page says, long blocks counting for more.
    fn add_page(&self, channels: &mut [f32], words: &[f32]) {
        let width = self.page.inputs;
        let mut mean = vec![0.0; width];
        let mut weights = 1e-6;
        for (block, words) in channels.chunks_exact(width).zip(words) {
            let weight = words.sqrt();
            weights += weight;
            mean.iter_mut().zip(block).for_each(|(mean, value)| *mean += weight * value);
        }
        mean.iter_mut().for_each(|mean| *mean /= weights);
        let mut added = vec![0.0; self.page.padded()];
        added[..width].copy_from_slice(&self.page.bias);
        self.page.add(&mean, &mut added);
        for block in channels.chunks_exact_mut(width) {
            block.iter_mut().zip(&added).for_each(|(value, added)| *value += added.max(0.0));
        }
    }

    /// Reads a network for so many inputs.
    pub(super) fn read(from: &mut Reader<'_>, inputs: usize) -> Result<Network, Error> {
        let (width, count) = (from.u32()?, from.u32()?);
        if width == 0 || width > MAX_WIDTH || count > MAX_LAYERS {
            return Err(damaged("its network has a size that none has"));
        }
        let width = width as usize;
        let scale = |from: &mut Reader<'_>| Ok((from.odds()?, from.odds()?));
        let scales = (0..inputs).map(|_| scale(from)).collect::<Result<_, Error>>()?;
        let input = Dense::read(from, inputs, width)?;
        let mut layers = Vec::new();
        for _ in 0..count {
            let reach = from.u16()?.into();
            let norm = read_numbers(from, 2 * width)?;
            layers.push(Layer {
                reach,
                norm: norm.as_chunks().0.iter().map(|[times, plus]| (*times, *plus)).collect(),
                above: Dense::read(from, width, width)?,
                own: Dense::read(from, width, width)?,
                below: Dense::read(from, width, width)?,
            });
        }
        let page = Dense::read(from, width, width)?;
        let hidden = Dense::read(from, width, width)?;
        let output = Dense::read(from, width, 1)?;
        Ok(Network { scales, input, layers, page, hidden, output })
    }

    /// Writes what [`read`](Self::read) reads.
    pub(super) fn write(&self, to: &mut Writer) {
        to.u32(self.input.bias.len() as u32);
        to.u32(self.layers.len() as u32);
        for (mean, scale) in &self.scales {
            to.f32(*mean);
            to.f32(*scale);
        }
        self.input.write(to);
        for Layer { reach, norm, above, own, below } in &self.layers {
            to.u16(*reach as u16);
            for (times, plus) in norm {
                to.u16(halve(*times));
                to.u16(halve(*plus));
            }
            [above, own, below].iter().for_each(|dense| dense.write(to));
        }
        [&self.page, &self.hidden, &self.output].iter().for_each(|dense| dense.write(to));
    }
}

impl Layer {
    /// Adds what the layer finds to the channels of all blocks. `scaled` is room for as many. `None` where the time is
    /// over before.
    fn apply(&self, channels: &mut [f32], scaled: &mut [f32], clock: &Clock) -> Option<()> {
        let width = self.norm.len();
        let blocks = channels.len() / width;
        for (from, to) in channels.chunks_exact(width).zip(scaled.chunks_exact_mut(width)) {
            self.scale(from, to);
        }
        let mut found = vec![0.0; self.own.padded()];
        let of = |block: usize| &scaled[block * width..(block + 1) * width];
        let mut steps = Steps::default();
        for (block, to) in channels.chunks_exact_mut(width).enumerate() {
            if steps.are_over(clock, ATOMS_PER_CHECK) {
                return None;
            }
            found[..width].copy_from_slice(&self.own.bias);
            if let Some(above) = block.checked_sub(self.reach) {
                self.above.add(of(above), &mut found);
            }
            self.own.add(of(block), &mut found);
            if block + self.reach < blocks {
                self.below.add(of(block + self.reach), &mut found);
            }
            to.iter_mut().zip(&found).for_each(|(value, found)| *value += found.max(0.0));
        }
        Some(())
    }

    /// Brings the channels of a block to one scale.
    fn scale(&self, from: &[f32], to: &mut [f32]) {
        let count = from.len() as f32;
        let mean = sum(from, |value| value) / count;
        let variance = sum(from, |value| (value - mean) * (value - mean)) / count;
        let inverse = 1.0 / (variance + LEAST_VARIANCE).sqrt();
        for ((to, from), (times, plus)) in to.iter_mut().zip(from).zip(&self.norm) {
            *to = (from - mean) * inverse * times + plus;
        }
    }
}

/// A sum in an order that compilers can make several additions of at a time.
fn sum(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (chunks, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        sums = std::array::from_fn(|at| sums[at] + of(chunk[at]));
    }
    sums.iter().sum::<f32>() + rest.iter().map(|value| of(*value)).sum::<f32>()
}

/// About the logarithm to the base 2 of one more than a number, with its sign. The bits of a number are nearly its
/// logarithm: exact at powers of 2, straight lines between them.
fn squash(number: f32) -> f32 {
    const ONE: u32 = 1.0f32.to_bits();
    let bits = (number.abs() + 1.0).to_bits() - ONE;
    (bits as f32 / (1u32 << 23) as f32).copysign(number)
}

/// The 16 bits of a number that a file keeps.
fn halve(number: f32) -> u16 {
    (number.to_bits() >> 16) as u16
}

fn read_numbers(from: &mut Reader<'_>, count: usize) -> Result<Vec<f32>, Error> {
    let bytes = from.take(2 * count)?;
    let number = |bytes: &[u8; 2]| {
        let number = f32::from_bits(u32::from(u16::from_le_bytes(*bytes)) << 16);
        // Greater ones are nothing that a trainer learns, and sums of them might be no numbers.
        if number.abs() <= 1e3 { Ok(number) } else { Err(damaged("a weight is out of range")) }
    };
    bytes.as_chunks().0.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random and are the same everywhere.
    fn numbers(seed: u32) -> impl FnMut() -> f32 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let number = (state >> 8) as f32 / (1 << 23) as f32 - 1.0;
            f32::from_bits(number.to_bits() & 0xffff_0000)
        }
    }

    fn dense(
        inputs: usize,
        outputs: usize,
        next: &mut impl FnMut() -> f32,
    ) -> (Vec<f32>, Vec<f32>) {
        let weights = (0..inputs * outputs).map(|_| next() / 4.0).collect();
        (weights, (0..outputs).map(|_| next() / 4.0).collect())
    }

    /// A network of some size as a file has it, beside its parts.
    struct Parts {
        inputs: usize,
        width: usize,
        scales: Vec<(f32, f32)>,
        dense: Vec<(Vec<f32>, Vec<f32>)>,
        norms: Vec<Vec<(f32, f32)>>,
        reaches: Vec<usize>,
    }

    impl Parts {
        fn random(inputs: usize, width: usize, reaches: &[usize]) -> Parts {
            let next = &mut numbers(7);
            let scales = (0..inputs).map(|_| (next(), 0.5 + next() / 4.0)).collect();
            let mut all = vec![dense(inputs, width, next)];
            let mut norms = Vec::new();
            for _ in reaches {
                norms.push((0..width).map(|_| (next() / 2.0, next())).collect());
                // The three have one bias, that of the own block.
                all.extend((0..3).map(|_| dense(width, width, next)));
            }
            all.extend([
                dense(width, width, next),
                dense(width, width, next),
                dense(width, 1, next),
            ]);
            Parts { inputs, width, scales, dense: all, norms, reaches: reaches.to_vec() }
        }

        fn file(&self) -> Vec<u8> {
            let mut to = Writer::default();
            to.u32(self.width as u32);
            to.u32(self.reaches.len() as u32);
            for (mean, scale) in &self.scales {
                to.f32(*mean);
                to.f32(*scale);
            }
            let write = |to: &mut Writer, (weights, bias): &(Vec<f32>, Vec<f32>)| {
                weights.iter().chain(bias).for_each(|number| to.u16(halve(*number)));
            };
            write(&mut to, &self.dense[0]);
            for (layer, reach) in self.reaches.iter().enumerate() {
                to.u16(*reach as u16);
                for (times, plus) in &self.norms[layer] {
                    to.u16(halve(*times));
                    to.u16(halve(*plus));
                }
                (0..3).for_each(|part| write(&mut to, &self.dense[1 + 3 * layer + part]));
            }
            let rest = 1 + 3 * self.reaches.len();
            self.dense[rest..].iter().for_each(|part| write(&mut to, part));
            to.finish()
        }

        /// The same by formulas, in 64 bits.
        fn scores(&self, rows: &Rows, words: &[f32]) -> Vec<f64> {
            let apply = |(weights, bias): &(Vec<f32>, Vec<f32>), inputs: &[f64], with: bool| {
                let outputs = bias.len();
                let of = |output: usize| -> f64 {
                    let weight = |input: usize| f64::from(weights[input * outputs + output]);
                    let sum: f64 =
                        (0..inputs.len()).map(|input| weight(input) * inputs[input]).sum();
                    sum + if with { f64::from(bias[output]) } else { 0.0 }
                };
                (0..outputs).map(of).collect::<Vec<f64>>()
            };
            let relu =
                |values: Vec<f64>| values.into_iter().map(|v| v.max(0.0)).collect::<Vec<_>>();
            let input = |row: usize| {
                let of = |(column, (mean, scale)): (usize, &(f32, f32))| {
                    let squashed = f64::from(squash(rows.get(row, column)));
                    ((squashed - f64::from(*mean)) * f64::from(*scale)).clamp(-6.0, 6.0)
                };
                let inputs: Vec<f64> = self.scales.iter().enumerate().map(of).collect();
                relu(apply(&self.dense[0], &inputs, true))
            };
            let mut h: Vec<Vec<f64>> = (0..rows.len()).map(input).collect();
            for (layer, reach) in self.reaches.iter().enumerate() {
                let norm = |block: &Vec<f64>| -> Vec<f64> {
                    let count = block.len() as f64;
                    let mean = block.iter().sum::<f64>() / count;
                    let variance = block.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
                    let one = |(v, (times, plus)): (&f64, &(f32, f32))| {
                        (v - mean) / (variance + 1e-5).sqrt() * f64::from(*times) + f64::from(*plus)
                    };
                    block.iter().zip(&self.norms[layer]).map(one).collect()
                };
                let y: Vec<Vec<f64>> = h.iter().map(norm).collect();
                for block in 0..h.len() {
                    let part = |part: usize| &self.dense[1 + 3 * layer + part];
                    let mut sum = apply(part(1), &y[block], true);
                    let mut add =
                        |more: Vec<f64>| sum.iter_mut().zip(more).for_each(|(s, m)| *s += m);
                    if block >= *reach {
                        add(apply(part(0), &y[block - reach], false));
                    }
                    if block + reach < h.len() {
                        add(apply(part(2), &y[block + reach], false));
                    }
                    h[block].iter_mut().zip(relu(sum)).for_each(|(h, s)| *h += s);
                }
                if layer == self.reaches.len() / 2 {
                    let weights: f64 =
                        words.iter().map(|w| f64::from(*w).sqrt()).sum::<f64>() + 1e-6;
                    let mean = |channel: usize| {
                        let each =
                            h.iter().zip(words).map(|(h, w)| h[channel] * f64::from(*w).sqrt());
                        each.sum::<f64>() / weights
                    };
                    let mean: Vec<f64> = (0..self.width).map(mean).collect();
                    let added = relu(apply(&self.dense[1 + 3 * self.reaches.len()], &mean, true));
                    h.iter_mut().for_each(|h| h.iter_mut().zip(&added).for_each(|(h, a)| *h += a));
                }
            }
            let rest = 2 + 3 * self.reaches.len();
            let of = |h: &Vec<f64>| {
                let hidden = relu(apply(&self.dense[rest], h, true));
                apply(&self.dense[rest + 1], &hidden, true)[0]
            };
            h.iter().map(of).collect()
        }
    }

    fn page(blocks: usize, inputs: usize) -> (Rows, Vec<f32>) {
        let next = &mut numbers(3);
        let mut rows = Rows::new(blocks, inputs);
        for block in 0..blocks {
            let row: Vec<f32> = (0..inputs).map(|_| next() * 100.0 * next()).collect();
            rows.set(block, 0, &row);
        }
        (rows, (0..blocks).map(|_| (next() * 40.0).abs()).collect())
    }

    #[test]
    fn scores_are_those_of_the_formulas() {
        for (inputs, width, blocks) in
            [(5, 4, 1), (5, 4, 70), (40, 32, 33), (7, 48, 90), (3, 64, 0)]
        {
            let parts = Parts::random(inputs, width, &[1, 2, 4]);
            let network = Network::read(&mut Reader::new(&parts.file()), inputs).unwrap();
            let (rows, words) = page(blocks, inputs);
            let (found, expected) = (
                network.scores(&rows, &words, &Clock::default()).unwrap(),
                parts.scores(&rows, &words),
            );
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                let error = (f64::from(*found) - expected).abs();
                assert!(error < 1e-3 * expected.abs().max(1.0), "{found} is not {expected}");
            }
        }
    }

    #[test]
    fn a_network_is_written_as_it_was_read() {
        let parts = Parts::random(6, 40, &[1, 8]);
        let file = parts.file();
        let network = Network::read(&mut Reader::new(&file), parts.inputs).unwrap();
        let mut to = Writer::default();
        network.write(&mut to);
        // The biases that only the own block has are not used, but kept.
        assert_eq!(to.finish(), file);
        for length in 0..file.len() {
            assert!(Network::read(&mut Reader::new(&file[..length]), parts.inputs).is_err());
        }
    }

    #[test]
    fn numbers_are_squashed_as_by_logarithms() {
        for (number, logarithm) in
            [(0.0, 0.0), (1.0, 1.0), (-3.0, -2.0), (7.0, 3.0), (1023.0, 10.0)]
        {
            assert_eq!(squash(number), logarithm);
        }
        assert!((squash(100.0) - 101f32.log2()).abs() < 0.09);
    }
}
