#!/usr/bin/env python3
"""Trains the network of `strata-max` on what `webstrata-lab train strata --export DIR` wrote.

    python train.py DIR [--epochs 6] [--width 64] [--seed 1] [--device cpu]

Each page is scored by a network that learned from other folds, and so from other sites (network-scores.npy). One more
network learns from all pages (network.bin). `webstrata-lab train max` makes the model of both.
crates/webstrata/src/strata/network.rs says how the network works; what is computed here must be what that does.
"""

import argparse
import math
import pathlib
import struct
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

LONGEST = 3000  # Blocks of a page that are learned from at once; longer pages are cut.
GREATEST_INPUT = 6.0
DROPPED_INPUTS = 0.2
DROPPED_CHANNELS = 0.2
REACHES = (1, 2, 4, 8, 16)
PAGE_SHARE = 6  # How much the F1 of a page counts beside the likelihood of its blocks.


def squash(numbers):
    """About the logarithm to the base 2 of one more than a number, with its sign: bits of floating-point numbers."""
    numbers = np.asarray(numbers, np.float32)
    bits = (np.abs(numbers) + np.float32(1)).view(np.int32) - np.int32(0x3F800000)
    return np.copysign(bits.astype(np.float32) / np.float32(1 << 23), numbers)


class Network(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.input = nn.Linear(inputs, width)
        self.layers = nn.ModuleList(nn.Conv1d(width, width, 3, padding=reach, dilation=reach) for reach in REACHES)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in REACHES)
        self.page = nn.Linear(width, width)
        self.hidden = nn.Linear(width, width)
        self.output = nn.Linear(width, 1)

    def forward(self, inputs, real, words):
        """The log-odds of the blocks of some pages; `real` tells blocks from what fills a page up."""
        real = real[..., None]
        inputs = functional.dropout(inputs, DROPPED_INPUTS, self.training)
        channels = functional.relu(self.input(inputs)) * real
        for at, (layer, norm) in enumerate(zip(self.layers, self.norms)):
            scaled = (norm(channels) * real).transpose(1, 2)
            found = functional.relu(layer(scaled).transpose(1, 2))
            channels = (channels + functional.dropout(found, DROPPED_CHANNELS, self.training)) * real
            if at == len(self.layers) // 2:
                weights = words.sqrt()[..., None] * real
                mean = (channels * weights).sum(1) / (weights.sum(1) + 1e-6)
                channels = (channels + functional.relu(self.page(mean))[:, None]) * real
        return self.output(functional.relu(self.hidden(channels))).squeeze(-1)


def loss(odds, real, words, shares, content):
    """How unlikely the labels of blocks are, and how far the expected F1 of a page is from 1."""
    weights = words.clamp(min=0.3).sqrt() * real
    weights = weights / weights.sum(1, keepdim=True)
    unlikely = functional.binary_cross_entropy_with_logits(odds, content, reduction="none")
    unlikely = (unlikely * weights).sum(1)
    probabilities = torch.sigmoid(odds) * real
    found = words * shares * real
    f1 = 2 * (probabilities * found).sum(1) / ((probabilities * words).sum(1) + found.sum(1) + 1e-6)
    return (unlikely + PAGE_SHARE * (1 - f1) * (found.sum(1) > 0)).mean()


class Pages:
    """What was exported. Rows of pages lie one behind the other."""

    def __init__(self, folder, device):
        self.folder, self.device = folder, device
        load = lambda name: np.load(folder / name)
        self.words, self.shares, self.content = load("words.npy"), load("shares.npy"), load("content.npy")
        pages = load("pages.npy")
        self.fold = pages[:, 4]
        self.ends = np.cumsum(pages[:, 0])
        self.starts = self.ends - pages[:, 0]
        self.blocks = int(self.ends[-1])

    def read(self, rows):
        """Inputs of all blocks for one fold or for all, on one scale, with that scale."""
        features = np.load(self.folder / "features.npy", mmap_mode="r")
        added = np.load(self.folder / f"rows-{rows}.npy", mmap_mode="r")
        inputs = np.empty((self.blocks, features.shape[1] + added.shape[1]), np.float16)
        for start in range(0, self.blocks, 100_000):
            part = slice(start, start + 100_000)
            inputs[part] = np.concatenate([squash(features[part]), squash(added[part])], 1)
        learned = np.repeat(self.fold != rows, self.ends - self.starts)
        sample = inputs[learned][::7].astype(np.float32)
        mean, scale = sample.mean(0), 1 / (sample.std(0) + 1e-3)
        for start in range(0, self.blocks, 100_000):
            part = slice(start, start + 100_000)
            scaled = (inputs[part].astype(np.float32) - mean) * scale
            inputs[part] = np.clip(scaled, -GREATEST_INPUT, GREATEST_INPUT)
        return inputs, mean, scale

    def batches(self, pages, most, random):
        """Pages of about one length together, filled up to so many blocks at most."""
        pages = random.permutation(pages)
        pieces = []
        for page in pages:
            start, count = self.starts[page], self.ends[page] - self.starts[page]
            parts = max(1, math.ceil(count / LONGEST))
            cuts = [start + part * count // parts for part in range(parts + 1)]
            pieces += [(low, high) for low, high in zip(cuts, cuts[1:]) if high > low]
        batches = []
        for start in range(0, len(pieces), 256):
            batch = []
            for piece in sorted(pieces[start : start + 256], key=lambda piece: piece[1] - piece[0]):
                if batch and (len(batch) + 1) * (piece[1] - piece[0]) > most:
                    batches.append(batch)
                    batch = []
                batch.append(piece)
            batches.append(batch)
        random.shuffle(batches)
        return batches

    def tensors(self, batch, inputs):
        longest = max(high - low for low, high in batch)

        def fill(values, kind):
            array = np.zeros((len(batch), longest, *values.shape[1:]), kind)
            for place, (low, high) in zip(array, batch):
                place[: high - low] = values[low:high]
            return torch.from_numpy(array).to(self.device)

        real = np.zeros((len(batch), longest), np.float32)
        for place, (low, high) in zip(real, batch):
            place[: high - low] = 1
        columns = [fill(values, np.float32) for values in (self.words, self.shares, self.content)]
        return fill(inputs, np.float32), torch.from_numpy(real).to(self.device), *columns


def train(pages, learned, inputs, options, name):
    torch.manual_seed(options.seed)
    random = np.random.default_rng(options.seed)
    network = Network(inputs.shape[1], options.width).to(pages.device)
    optimiser = torch.optim.AdamW(network.parameters(), lr=options.rate, weight_decay=0.01)
    steps, step = options.epochs * len(pages.batches(learned, options.batch, random)), 0
    for epoch in range(options.epochs):
        begun, sum_of_losses, count = time.time(), 0.0, 0
        network.train()
        for batch in pages.batches(learned, options.batch, random):
            # Warms up, then falls as a cosine does.
            rate = options.rate * min(1, (step + 1) / 200) * 0.5 * (1 + math.cos(math.pi * min(1, step / steps)))
            for group in optimiser.param_groups:
                group["lr"] = rate + 1e-6
            tensors = pages.tensors(batch, inputs)
            blocks, real, words, shares, content = tensors
            value = loss(network(blocks, real, words), real, words, shares, content)
            optimiser.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            step += 1
            sum_of_losses += value.item() * len(batch)
            count += len(batch)
        print(f"{name}, epoch {epoch + 1}: loss {sum_of_losses / count:.4f}, {time.time() - begun:.0f} s", flush=True)
    # What the file keeps: 16 bits, rounded.
    with torch.no_grad():
        for weights in network.parameters():
            weights.copy_(weights.to(torch.bfloat16).float())
    return network.eval()


def predict(pages, network, these, inputs, scores):
    with torch.no_grad():
        for page in these:
            piece = (pages.starts[page], pages.ends[page])
            if piece[1] > piece[0]:
                blocks, real, words, _, _ = pages.tensors([piece], inputs)
                scores[piece[0] : piece[1]] = network(blocks, real, words)[0].cpu().numpy()


def write(network, mean, scale, path):
    """The network as `Network::read` reads it."""

    def halves(values):
        bits = values.detach().cpu().numpy().astype(np.float32).view(np.uint32) >> 16
        return bits.astype("<u2").tobytes()

    def dense(weights, bias):  # The weights of an input for all outputs stand together.
        return halves(weights.T.contiguous()) + halves(bias)

    data = struct.pack("<II", network.input.out_features, len(REACHES))
    data += np.stack([mean, scale], 1).astype("<f4").tobytes()
    data += dense(network.input.weight, network.input.bias)
    for reach, layer, norm in zip(REACHES, network.layers, network.norms):
        data += struct.pack("<H", reach) + halves(torch.stack([norm.weight, norm.bias], 1))
        for tap in range(3):
            # One bias for all three: the block's own has it.
            data += dense(layer.weight[:, :, tap], layer.bias if tap == 1 else torch.zeros_like(layer.bias))
    for part in (network.page, network.hidden, network.output):
        data += dense(part.weight, part.bias)
    path.write_bytes(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--batch", type=int, default=6000, help="blocks that are learned from at once")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="where torch computes: cpu, cuda")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.use_deterministic_algorithms(True)
    pages = Pages(options.folder, options.device)
    scores = np.zeros(pages.blocks, np.float32)
    for fold in sorted(set(pages.fold.tolist())):
        inputs, _, _ = pages.read(fold)
        network = train(pages, np.flatnonzero(pages.fold != fold), inputs, options, f"fold {fold}")
        predict(pages, network, np.flatnonzero(pages.fold == fold), inputs, scores)
    np.save(options.folder / "network-scores.npy", scores)
    inputs, mean, scale = pages.read("all")
    network = train(pages, np.arange(len(pages.fold)), inputs, options, "all pages")
    write(network, mean, scale, options.folder / "network.bin")


if __name__ == "__main__":
    main()
