"""Step 3 of the table: what the sentence model says of each term's word.

    python teacher.py --teacher DIR --vocabulary FILE --out FILE.npy

DIR holds `model.safetensors` and `vocab.txt` of sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0).
Each word goes through the model by itself, `[CLS] pieces [SEP]`, and is the mean of what comes out.
Needs numpy only: the model is small enough to write down. Other weights than those the model was
published with are refused.
"""
import argparse
import hashlib
import json
import struct

import numpy as np

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def read_safetensors(path):
    with open(path, "rb") as file:
        content = file.read()
    if hashlib.sha256(content).hexdigest() != WEIGHTS_SHA256:
        raise SystemExit(f"{path} is not the teacher: its SHA-256 is another")
    (size,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + size])
    data = content[8 + size :]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[begin:end], np.float32).reshape(entry["shape"])
    return tensors


class Model:
    """BERT as `all-MiniLM-L6-v2` has it: 6 layers, 12 heads, 384 wide."""

    HEADS = 12

    def __init__(self, tensors):
        self.tensors = tensors
        self.layers = sum(1 for name in tensors if name.endswith("attention.self.query.weight"))

    def __call__(self, ids):
        """`ids`: (batch, length), all of one length. Gives (batch, 384), unit length."""
        t = self.tensors
        length = ids.shape[1]
        x = t["embeddings.word_embeddings.weight"][ids]
        x = x + t["embeddings.position_embeddings.weight"][:length]
        x = x + t["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        for layer in range(self.layers):
            at = f"encoder.layer.{layer}."
            x = self.norm(x + self.attend(x, at + "attention."), at + "attention.output.LayerNorm")
            hidden = self.linear(x, at + "intermediate.dense")
            hidden = self.linear(gelu(hidden), at + "output.dense")
            x = self.norm(x + hidden, at + "output.LayerNorm")
        mean = x.mean(axis=1)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    def linear(self, x, name):
        return x @ self.tensors[name + ".weight"].T + self.tensors[name + ".bias"]

    def norm(self, x, name):
        mean = x.mean(-1, keepdims=True)
        deviation = np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-12)
        return (x - mean) / deviation * self.tensors[name + ".weight"] + self.tensors[name + ".bias"]

    def attend(self, x, at):
        batch, length, width = x.shape
        size = width // self.HEADS

        def heads(name):
            part = self.linear(x, f"{at}self.{name}")
            return part.reshape(batch, length, self.HEADS, size).transpose(0, 2, 1, 3)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(size)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ value).transpose(0, 2, 1, 3).reshape(batch, length, width)
        return self.linear(mixed, at + "output.dense")


def gelu(x):
    # erf by Abramowitz and Stegun 7.1.26: within 1.5e-7, under what float32 keeps here.
    z = np.abs(x) / np.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - poly * np.exp(-z * z))
    return 0.5 * x * (1 + erf.astype(np.float32))


def pieces(word, vocabulary):
    """WordPiece: the longest known piece first; [] where a rest is unknown."""
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in vocabulary:
                found.append(vocabulary[piece])
                start = end
                break
        else:
            return []
    return found


def main():
    parser = argparse.ArgumentParser()
    for name in ("teacher", "vocabulary", "out"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    with open(args.teacher + "/vocab.txt", encoding="utf8") as file:
        vocabulary = {line.rstrip("\n"): at for at, line in enumerate(file)}
    with open(args.vocabulary, encoding="utf8") as file:
        words = [line.split("\t")[1] for line in file]
    model = Model(read_safetensors(args.teacher + "/model.safetensors"))
    cls, sep, unknown = vocabulary["[CLS]"], vocabulary["[SEP]"], vocabulary["[UNK]"]
    by_length = {}
    for at, word in enumerate(words):
        ids = [cls, *(pieces(word, vocabulary) or [unknown]), sep]
        by_length.setdefault(len(ids), []).append((at, ids))
    out = np.zeros((len(words), 384), np.float32)
    for length, rows in sorted(by_length.items()):
        for start in range(0, len(rows), 512):
            some = rows[start : start + 512]
            out[[at for at, _ in some]] = model(np.array([ids for _, ids in some]))
    np.save(args.out, out)
    print(f"{len(words)} words")


if __name__ == "__main__":
    main()
