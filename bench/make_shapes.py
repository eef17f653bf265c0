#!/usr/bin/env python3
"""Writes seven synthetic kernels as Accel-Sim text traces (version 5), the inputs of bench/speed.

    bench/make_shapes.py SHAPE FOLDER [--arch 70|75|80|86|90] [--scale F] [--seed N]

Shapes: vecadd, gemm (tensor cores, shared memory), reduce (barriers), stencil, ffma (compute),
gather (random access), chase (one warp of dependent loads). FOLDER gets kernelslist.g and kernel-1.traceg.
The same arguments always give the same bytes.
"""

import argparse
import os
import random
from dataclasses import dataclass, field
from typing import Iterator, NamedTuple

ALL_LANES = 0xFFFFFFFF
INPUT_A, INPUT_B, OUTPUT = 0x7F1A20000000, 0x7F1A40000000, 0x7F1A60000000
RZ = 255  # the zero register
WARPS = 8  # of every CTA but that of `chase`


class Strided(NamedTuple):
    """Lane i accesses base + i * stride."""

    base: int
    stride: int

    def of(self, lane):
        return self.base + lane * self.stride


class Listed(NamedTuple):
    """Lane i accesses lanes[i]."""

    lanes: list

    def of(self, lane):
        return self.lanes[lane]


def address_field(addresses, mask):
    """The address columns as the tracer writes them: base and stride where it can, else deltas."""
    active = [addresses.of(lane) for lane in range(32) if mask >> lane & 1]
    if not active:
        return "1 0x0 0 "
    deltas = [b - a for a, b in zip(active, active[1:])]
    run = mask // (mask & -mask)  # the lowest active lane moved to bit 0
    if deltas and run & (run + 1) == 0 and all(delta == deltas[0] for delta in deltas):
        return f"1 0x{active[0]:x} {deltas[0]} "
    return f"2 0x{active[0]:x} " + "".join(f"{delta} " for delta in deltas)


class Warp:
    """Trace lines of one warp. `pc` advances by itself; set it back to repeat a loop."""

    def __init__(self):
        self.lines = []
        self.pc = 0
        self.op("IMAD.MOV.U32", 1, (RZ, RZ))
        self.op("S2R", 6)
        self.op("S2R", 3)
        self.op("IMAD", 6, (6, RZ, 3))
        self.op("ISETP.GE.AND", None, (6,))
        self.op("EXIT", mask=0)

    def op(self, opcode, dst=None, srcs=(), mask=ALL_LANES, imm=0, memory="0 "):
        """One instruction; `dst` None means it writes no general register."""
        dsts = "0 " if dst is None else f"1 R{dst} "
        sources = f"{len(srcs)} " + "".join(f"R{reg} " for reg in srcs)
        self.lines.append(f"{self.pc:04x} {mask:08x} {dsts}{opcode} {sources}{memory}{imm} \n")
        self.pc += 16

    def memory(self, opcode, width, addresses, dst=None, srcs=(), mask=ALL_LANES):
        """One access of `width` bytes a lane."""
        self.op(opcode, dst, srcs, mask, memory=f"{width} {address_field(addresses, mask)}")

    def load(self, dst, address_reg, addresses):
        self.memory("LDG.E", 4, addresses, dst, (address_reg,))

    def store_and_exit(self, srcs, addresses, mask=ALL_LANES, opcode="STG.E", width=4):
        self.memory(opcode, width, addresses, None, srcs, mask)
        self.op("EXIT")


@dataclass
class Shape:
    """A kernel: launch geometry, the copies before it, and its CTAs in issue order."""

    name: str
    grid: tuple
    ctas: Iterator  # of (index, warps)
    block: tuple = (32 * WARPS, 1, 1)
    shared: int = 0
    registers: int = 16
    copies: list = field(default_factory=list)  # of (address, bytes)


def per_warp(ctas, program):
    """CTAs numbered along x whose warps are program(first thread of the warp, warp number)."""
    for cta in range(ctas):
        yield (cta, 0, 0), [program((cta * WARPS + warp) * 32, warp) for warp in range(WARPS)]


def vecadd(scale, **_):
    """c[i] = a[i] + b[i], one element a thread."""
    ctas = int(2048 * scale)

    def program(thread, _):
        offset = thread * 4
        warp = Warp()
        warp.op("IMAD.MOV.U32", 7, (RZ, RZ), imm=4)
        warp.op("IMAD.WIDE", 4, (6, 7))
        warp.op("IMAD.WIDE", 2, (6, 7))
        warp.load(4, 4, Strided(INPUT_A + offset, 4))
        warp.load(3, 2, Strided(INPUT_B + offset, 4))
        warp.op("IMAD.WIDE", 6, (6, 7))
        warp.op("FADD", 9, (4, 3))
        warp.store_and_exit((6, 9), Strided(OUTPUT + offset, 4))
        return warp

    size = ctas * 1024
    return Shape("_Z6vecaddPKfS0_Pfi", (ctas, 1, 1), per_warp(ctas, program),
                 copies=[(INPUT_A, size), (INPUT_B, size)])


class GemmWarp(Warp):
    """One of eight warps, 64x32 of a 128x128 tile of C; fp16 inputs, fp32 sums, 32 of K a trip."""

    def __init__(self, arch, column, row, number, columns, depth):
        super().__init__()
        self.volta = arch < 80
        self.column, self.row, self.number = column, row, number
        self.pitch_b, self.pitch_a = columns, depth
        self.m, self.n = number & 1, number >> 1
        for reg in range(4):
            self.op("IMAD.WIDE", 20 + 2 * reg, (6, 7, 2))

    def accumulator(self, m, n):
        return 100 + (m * 4 + n) * 4

    def fetch(self, k):
        """The warp's share of the next A and B tiles, global to registers to shared."""
        for part in range(2):  # A: a lane loads 16 bytes, four lanes a row
            first_row = self.row * 128 + part * 64 + self.number * 8
            self.memory("LDG.E.128", 16,
                        Listed([INPUT_A + ((first_row + lane // 4) * self.pitch_a + k * 32) * 2 + lane % 4 * 16
                                for lane in range(32)]), 40 + 4 * part, (20 + 2 * part,))
        for part in range(2):  # B: sixteen lanes a row
            first_row = k * 32 + part * 16 + self.number * 2
            self.memory("LDG.E.128", 16,
                        Listed([INPUT_B + ((first_row + lane // 16) * self.pitch_b + self.column * 128) * 2
                                + lane % 16 * 16 for lane in range(32)]), 48 + 4 * part, (24 + 2 * part,))
        for part in range(4):
            self.memory("STS.128", 16, Strided(part * 4096 + self.number * 512, 16), None, (8, 40 + 4 * part))

    def fragment(self, dst, address_reg, base, transposed):
        if self.volta:
            self.memory("LDS.U.128", 16, Strided(base, 16), dst, (address_reg,))
        else:
            opcode = "LDSM.16.MT88.4" if transposed else "LDSM.16.M88.4"
            self.memory(opcode, 4, Strided(base, 16), dst, (address_reg,))

    def multiply(self, half):
        """4x4 tensor operations on half of the tile's depth."""
        for m in range(4):
            self.fragment(60 + 4 * m, 9, self.m * 4096 + m * 1024 + half * 512, False)
        for n in range(2):
            self.fragment(76 + 4 * n, 10, 8192 + self.n * 2048 + n * 1024 + half * 512, True)
        for m in range(4):
            for n in range(4):
                c = self.accumulator(m, n)
                if self.volta:
                    for half_step in range(2):
                        self.op(f"HMMA.884.F32.F32.STEP{half_step}", c + 2 * half_step,
                                (60 + 4 * m, 76 + 2 * n, c + 2 * half_step))
                else:
                    self.op("HMMA.16816.F32", c, (60 + 4 * m, 76 + 2 * n, c))

    def run(self, trips):
        loop = self.pc
        for k in range(trips):
            self.pc = loop
            self.fetch(k)
            self.op("BAR.SYNC")
            self.multiply(0)
            self.multiply(1)
            self.op("IADD3", 11, (11, RZ))
            self.op("ISETP.GE.AND", None, (11,))
            self.op("BAR.SYNC")
            self.op("BRA", mask=ALL_LANES if k < trips - 1 else 0)
        for m in range(4):
            for n in range(4):
                row = self.row * 128 + self.m * 64 + m * 16
                column = self.column * 128 + self.n * 32 + n * 8
                self.memory("STG.E.64", 8,
                            Listed([OUTPUT + ((row + lane // 4) * self.pitch_b + column + lane % 4 * 2) * 4
                                    for lane in range(32)]), None, (30, self.accumulator(m, n)))
        self.op("EXIT")
        return self


def gemm(scale, arch, **_):
    """C = A B on tensor cores with 128x128x32 tiles staged through shared memory."""
    rows, columns, trips = 12, max(1, int(8 * min(1, 2 * scale))), max(1, round(12 * scale))

    def ctas():
        for row in range(rows):
            for column in range(columns):
                yield (column, row, 0), [
                    GemmWarp(arch, column, row, number, columns * 128, trips * 32).run(trips)
                    for number in range(WARPS)]

    depth = trips * 32
    return Shape("_Z4gemmPK6__halfS1_Pf", (columns, rows, 1), ctas(), shared=32768, registers=168,
                 copies=[(INPUT_A, rows * 128 * depth * 2), (INPUT_B, depth * columns * 128 * 2)])


def chase(scale, seed, **_):
    """One lane follows pointers through 64 MB."""
    steps = int(2000 * scale)
    draw = random.Random(seed)
    lines = (64 << 20) // 128
    warp = Warp()
    loop = warp.pc
    for step in range(steps):
        warp.pc = loop
        warp.memory("LDG.E.64", 8, Strided(INPUT_A + draw.randrange(lines) * 128, 0), 2, (2,), mask=1)
        warp.op("IADD3", 11, (11, RZ), mask=1)
        warp.op("ISETP.NE.AND", None, (11,), mask=1)
        warp.op("BRA", mask=1 if step < steps - 1 else 0)
    warp.store_and_exit((4, 2), Strided(OUTPUT, 0), mask=1, opcode="STG.E.64", width=8)
    return Shape("_Z5chasePPvi", (1, 1, 1), iter([((0, 0, 0), [warp])]), block=(32, 1, 1))


def gather(scale, seed, **_):
    """Four random floats out of 32 MB per thread, indices streamed."""
    ctas = int(480 * scale)
    draw = random.Random(seed)
    words = (32 << 20) // 4

    def program(thread, _):
        warp = Warp()
        warp.op("IMAD.WIDE", 4, (6, 7))
        for turn in range(4):
            warp.load(8, 4, Strided(INPUT_B + (thread + turn * ctas * 256) * 4, 4))
            warp.op("IMAD.WIDE", 10 + 2 * turn, (8, 7))
            warp.load(20 + turn, 10 + 2 * turn, Listed([INPUT_A + draw.randrange(words) * 4 for _ in range(32)]))
            warp.op("FADD", 19, (19, 20 + turn))
        warp.store_and_exit((6, 19), Strided(OUTPUT + thread * 4, 4))
        return warp

    return Shape("_Z6gatherPKfPKiPf", (ctas, 1, 1), per_warp(ctas, program), registers=24,
                 copies=[(INPUT_B, ctas * 4096)])


def reduce(scale, **_):
    """Sum by halving in shared memory, a barrier at each of eight levels, one atomic a CTA."""
    ctas = int(1024 * scale)

    def program(thread, number):
        cta_thread = number * 32
        offset = (thread - cta_thread) * 8 + cta_thread * 4  # a CTA reads 512 floats
        own = Strided(number * 128, 4)
        warp = Warp()
        warp.op("IMAD.WIDE", 4, (6, 7))
        warp.load(2, 4, Strided(INPUT_A + offset, 4))
        warp.load(3, 4, Strided(INPUT_A + offset + 1024, 4))
        warp.op("FADD", 2, (2, 3))
        warp.memory("STS", 4, own, None, (8, 2))
        for distance in (128, 64, 32, 16, 8, 4, 2, 1):
            mask = (1 << min(32, max(0, distance - cta_thread))) - 1
            warp.op("BAR.SYNC")
            warp.op("ISETP.GE.AND", None, (6,))
            warp.op("BSSY")
            warp.memory("LDS.U", 4, Strided(number * 128 + distance * 4, 4), 9, (8,), mask)
            warp.memory("LDS.U", 4, own, 10, (8,), mask)
            warp.op("FADD", 10, (9, 10), mask)
            warp.memory("STS", 4, own, None, (8, 10), mask)
            warp.op("BSYNC")
        warp.op("BAR.SYNC")
        mask = 1 if number == 0 else 0
        warp.memory("LDS.U", 4, Strided(0, 0), 9, (RZ,), mask)
        warp.store_and_exit((4, 9), Strided(OUTPUT, 0), mask, opcode="RED.E.ADD.F32.FTZ.RN.STRONG.GPU")
        return warp

    return Shape("_Z6reducePKfPf", (ctas, 1, 1), per_warp(ctas, program), shared=1024, registers=20,
                 copies=[(INPUT_A, ctas * 2048)])


def stencil(scale, arch, **_):
    """2-D five-point stencil, 32x8 threads a CTA, rows of 2,048 floats."""
    across, down = 64, max(1, int(24 * scale))
    pitch = across * 32 * 4
    load = "LDG.E.CONSTANT" if arch >= 75 else "LDG.E.CONSTANT.SYS"

    def program(row, column):
        offset = row * pitch + column * 128
        warp = Warp()
        warp.op("S2R", 5)
        warp.op("S2R", 7)
        warp.op("IMAD", 5, (5, RZ, 7))
        warp.op("ISETP.LT.AND", None, (5,))
        warp.op("IMAD.WIDE", 4, (6, 7))
        for point, distance in enumerate((0, -4, 4, -pitch, pitch)):
            warp.memory(load, 4, Strided(INPUT_A + offset + distance, 4), 10 + point, (4,))
        warp.op("FMUL", 9, (10,))
        for point in range(1, 5):
            warp.op("FFMA", 9, (10 + point, RZ, 9))
        warp.op("LEA", 2, (6, 3))
        warp.op("LEA.HI.X", 3, (6, 3))
        warp.store_and_exit((2, 9), Strided(OUTPUT + offset, 4))
        return warp

    def ctas():
        for y in range(down):
            for x in range(across):
                yield (x, y, 0), [program(y * 8 + row + 1, x) for row in range(WARPS)]

    return Shape("_Z7stencilPKfPfi", (across, down, 1), ctas(), block=(32, 8, 1), registers=24,
                 copies=[(INPUT_A, (down * 8 + 2) * pitch)])


def ffma(scale, **_):
    """Compute bound: eight independent FFMA chains, three trips of 64."""
    ctas = int(480 * scale)

    def program(thread, _):
        warp = Warp()
        loop = warp.pc
        for trip in range(3):
            warp.pc = loop
            for link in range(64):
                reg = 10 + link % 8
                warp.op("FFMA", reg, (reg, 4, 5))
            warp.op("IADD3", 11, (3, RZ))
            warp.op("ISETP.NE.AND", None, (3,))
            warp.op("BRA", mask=ALL_LANES if trip < 2 else 0)
        warp.store_and_exit((6, 10), Strided(OUTPUT + thread * 4, 4))
        return warp

    return Shape("_Z4ffmaPff", (ctas, 1, 1), per_warp(ctas, program), registers=32)


SHAPES = {"vecadd": vecadd, "gemm": gemm, "reduce": reduce, "stencil": stencil, "ffma": ffma,
          "gather": gather, "chase": chase}

FIELDS = ("[line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
          "[adrrescompress?] [mem_addresses] immediate")


def header(shape, arch):
    def dim(xyz):
        return "({},{},{})".format(*xyz)

    return "\n".join((
        f"-kernel name = {shape.name}", "-kernel id = 1", f"-grid dim = {dim(shape.grid)}",
        f"-block dim = {dim(shape.block)}", f"-shmem = {shape.shared}", f"-nregs = {shape.registers}",
        f"-binary version = {arch}", "-cuda stream id = 0", "-shmem base_addr = 0x00007f1a00000000",
        "-local mem base_addr = 0x00007f1a02000000", "-nvbit version = 1.7", "-accelsim tracer version = 5",
        "-enable lineinfo = 0", "", f"#traces format = {FIELDS}", "", ""))


def write(name, folder, arch=80, scale=1.0, seed=1):
    """Writes the shape and returns its number of warp instructions."""
    shape = SHAPES[name](scale=scale, arch=arch, seed=seed)
    count = 0
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "kernel-1.traceg"), "w", encoding="ascii", newline="\n") as out:
        out.write(header(shape, arch))
        for index, warps in shape.ctas:
            out.write("\n#BEGIN_TB\n\nthread block = {},{},{}\n".format(*index))
            for number, warp in enumerate(warps):
                count += len(warp.lines)
                out.write(f"\nwarp = {number}\ninsts = {len(warp.lines)}\n")
                out.writelines(warp.lines)
            out.write("\n#END_TB\n")
    with open(os.path.join(folder, "kernelslist.g"), "w", encoding="ascii", newline="\n") as out:
        out.writelines(f"MemcpyHtoD,0x{address:016x},{size}\n" for address, size in shape.copies)
        out.write("kernel-1.traceg\n")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", choices=sorted(SHAPES))
    parser.add_argument("folder")
    parser.add_argument("--arch", type=int, default=80, help="binary version of the trace")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full number of CTAs or steps")
    parser.add_argument("--seed", type=int, default=1, help="of the random addresses")
    args = parser.parse_args()
    count = write(args.shape, args.folder, args.arch, args.scale, args.seed)
    print(f"{args.folder}: {args.shape}, {count} warp instructions")


if __name__ == "__main__":
    main()
