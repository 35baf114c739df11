"""Step 5 of the table: from the teacher's words to vectors that bring goals and code together.

    python train.py --vocabulary FILE --words FILE.npy --pairs DIR --out FILE.npy
                    [--dims 256] [--steps 600] [--dev REPO,…]

A term's vector is `(words · W + D) · s`: the teacher's word through one shared map, what this term
learned itself, and its weight. A text is the sum of its terms by the root of their counts. Training
tells the file or definition that a commit changed from others of the same repository, and two messages
that changed the same file from other messages (InfoNCE within a batch of one repository). Terms no
history used keep the teacher's direction and move with the map. Needs numpy and scipy; the same input
gives the same table on the same machine.
"""
import argparse
import glob
import json
import os

import numpy as np
import scipy.sparse as sparse


def read_pairs(folder):
    repos = {}
    for path in sorted(glob.glob(folder + "/*.jsonl")):
        with open(path, encoding="utf8") as file:
            pairs = [json.loads(line) for line in file if line.strip()]
        repos[os.path.basename(path)[: -len(".jsonl")]] = [p for p in pairs if len(p["goal"]) >= 6]
    return repos


def matrix(texts, terms):
    """Texts as `[row, count, …]` to a sparse matrix of roots of counts."""
    flat = [np.asarray(text, np.int64).reshape(-1, 2) for text in texts]
    bounds = np.cumsum([0] + [len(rows) for rows in flat])
    rows = np.concatenate(flat) if flat else np.zeros((0, 2), np.int64)
    return sparse.csr_matrix((np.sqrt(rows[:, 1]).astype(np.float32), rows[:, 0], bounds), (len(texts), terms))


class Repo:
    """One history: its texts, and which belong together."""

    def __init__(self, pairs, terms):
        goals, texts, pairs_of, names = [], [], [], {}
        by_path = {}
        for pair in pairs:
            goal = len(goals)
            goals.append(pair["goal"])
            for file in pair["files"]:
                name = names.setdefault(file["path"], len(names))
                by_path.setdefault(name, []).append(goal)
                for text in [file["text"], *file["symbols"]]:
                    if len(text) >= 4:
                        pairs_of.append((goal, len(texts), name))
                        texts.append(text)
        self.goals, self.texts = matrix(goals, terms), matrix(texts, terms)
        self.pairs = np.array(pairs_of)
        self.files_of = [set() for _ in goals]
        for goal, _, name in pairs_of:
            self.files_of[goal].add(name)
        self.siblings = [
            (a, b, name) for name, of in sorted(by_path.items()) for a, b in zip(of, of[1:]) if a != b
        ]


def thinned(texts, share, chance):
    """Leaves out a share of the terms: no text must hang on one word."""
    texts = texts.copy()
    texts.data *= chance.random(len(texts.data)) >= share
    return texts


def batch(repo, size, chance):
    """Left and right texts of one batch, and which right ones are no wrong answer to a left one."""
    if chance.random() < 0.2 and len(repo.siblings) >= size:
        picked = [repo.siblings[at] for at in chance.choice(len(repo.siblings), size, False)]
        left, right = repo.goals[[a for a, _, _ in picked]], repo.goals[[b for _, b, _ in picked]]
        goals = [(a, repo.files_of[b]) for a, b, _ in picked]
        related = np.array([[bool(repo.files_of[a] & files) for _, files in goals] for a, _ in goals])
        return left, right, related
    picked = repo.pairs[chance.choice(len(repo.pairs), min(size, len(repo.pairs)), False)]
    left, right = repo.goals[picked[:, 0]], repo.texts[picked[:, 1]]
    related = np.array([[name in repo.files_of[goal] for name in picked[:, 2]] for goal in picked[:, 0]])
    return left, right, related


class Adam:
    """Adam for rows that come now and then: only what a batch touched moves."""

    def __init__(self, value, rate):
        self.value, self.rate, self.step = value, rate, 0
        self.first, self.second = np.zeros_like(value), np.zeros_like(value)

    def update(self, gradient, rows=slice(None), rate=1.0):
        self.step += 1
        first = self.first[rows] = 0.9 * self.first[rows] + 0.1 * gradient
        second = self.second[rows] = 0.999 * self.second[rows] + 0.001 * gradient**2
        fair = np.sqrt(1 - 0.999**self.step) / (1 - 0.9**self.step)
        self.value[rows] -= self.rate * rate * fair * first / (np.sqrt(second) + 1e-8)


class Table:
    def __init__(self, words, counts, dims, own_rate):
        centred = words - words.mean(0)
        _, _, axes = np.linalg.svd(centred[counts > 0], full_matrices=False)
        self.words = centred
        share = (counts + 1) / counts.sum()
        weight = 1e-3 / (1e-3 + share)
        flat = centred @ axes[:dims].T
        self.words = centred / np.linalg.norm(flat, axis=1, keepdims=True)
        self.map = Adam(np.ascontiguousarray(axes[:dims].T), 1e-3)
        self.own = Adam(np.zeros((len(words), dims), np.float32), own_rate)
        self.weight = Adam(np.log(weight).astype(np.float32), 1e-2)

    def rows(self, at=slice(None)):
        return (self.words[at] @ self.map.value + self.own.value[at]) * np.exp(self.weight.value[at])[:, None]

    def train(self, left, right, related, temperature, decay, rate):
        at = np.unique(np.concatenate([left.indices, right.indices]))
        place = np.zeros(len(self.words), np.int64)
        place[at] = np.arange(len(at))

        def narrow(m):
            return sparse.csr_matrix((m.data, place[m.indices], m.indptr), (m.shape[0], len(at)))

        left, right = narrow(left), narrow(right)
        base = self.words[at] @ self.map.value + self.own.value[at]
        scale = np.exp(self.weight.value[at])[:, None]
        rows = base * scale
        (a, a_length), (b, b_length) = unit(left @ rows), unit(right @ rows)
        scores = a @ b.T / temperature
        wrong = related & ~np.eye(len(scores), dtype=bool)
        scores[wrong] = -1e9
        truth = np.eye(len(scores), dtype=np.float32)
        to_right, to_left = softmax(scores, 1), softmax(scores, 0)
        loss = -np.log(np.diag(to_right) + 1e-9).mean()
        gradient = ((to_right - truth) + (to_left - truth)) / (2 * len(scores) * temperature)
        slope = left.T @ through(gradient @ b, a, a_length) + right.T @ through(gradient.T @ a, b, b_length)
        base_slope = slope * scale
        self.map.update(self.words[at].T @ base_slope, rate=rate)
        self.own.update(base_slope + decay * self.own.value[at], at, rate=rate)
        self.weight.update((slope * rows).sum(1), at, rate=rate)
        return loss


def unit(x):
    length = np.linalg.norm(x, axis=1, keepdims=True) + 1e-9
    return x / length, length


def through(gradient, direction, length):
    return (gradient - (gradient * direction).sum(1, keepdims=True) * direction) / length


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def recall(table_rows, pairs, terms, k=5):
    """Of the files each goal changed, the share among the k closest of all files of the history."""
    texts = {}
    for pair in pairs:
        for file in pair["files"]:
            texts.setdefault(file["path"], file["text"])
    paths = list(texts)
    place = {path: at for at, path in enumerate(paths)}
    files, _ = unit(matrix([texts[path] for path in paths], terms) @ table_rows)
    goals, _ = unit(matrix([pair["goal"] for pair in pairs], terms) @ table_rows)
    best = np.argsort(-(goals @ files.T), axis=1)[:, :k]
    shares = []
    for pair, found in zip(pairs, best):
        gold = {place[file["path"]] for file in pair["files"]}
        shares.append(len(gold & set(found.tolist())) / len(gold))
    return float(np.mean(shares))


def main():
    parser = argparse.ArgumentParser()
    for name in ("vocabulary", "words", "pairs", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--dims", type=int, default=256)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--temperature", type=float, default=0.07)
    parser.add_argument("--decay", type=float, default=1e-6)
    parser.add_argument("--rate", type=float, default=1.0)
    parser.add_argument("--own-rate", type=float, default=3e-4)
    parser.add_argument("--thin", type=float, default=0.5)
    parser.add_argument("--dev", default="")
    args = parser.parse_args()
    with open(args.vocabulary, encoding="utf8") as file:
        counts = np.array([float(line.split("\t")[2]) for line in file])
    words = np.load(args.words)
    terms = len(words)
    pairs = read_pairs(args.pairs)
    dev = {name: pairs.pop(name) for name in args.dev.split(",") if name}
    repos = [Repo(of, terms) for of in pairs.values()]
    odds = np.sqrt([len(repo.pairs) for repo in repos])
    table = Table(words, counts, args.dims, args.own_rate)
    chance = np.random.default_rng(7)
    for step in range(args.steps + 1):
        if step % 200 == 0:
            rows = table.rows()
            print(step, {name: round(recall(rows, of, terms), 4) for name, of in dev.items()}, flush=True)
        rate = args.rate * min(1.0, (step + 1) / 100) * (1 - 0.9 * step / args.steps)
        repo = repos[chance.choice(len(repos), p=odds / odds.sum())]
        left, right, related = batch(repo, args.batch, chance)
        left, right = thinned(left, args.thin, chance), thinned(right, args.thin, chance)
        loss = table.train(left, right, related, args.temperature, args.decay, rate)
        if step % 200 == 199:
            print(step, "loss", round(float(loss), 4), flush=True)
    np.save(args.out, table.rows())


if __name__ == "__main__":
    main()
