"""Dumps activation maps of a PyTorch module for `warpgauge dnn densities`. Needs torch and numpy.

    from dump_activations import ActivationDump
    dump = ActivationDump(model, "maps")        # ReLU, pooling, normalisation ... what a later layer reads
    for step, (x, y) in enumerate(loader):
        with dump.at(step, wanted=step % 500 == 0):
            loss = criterion(model(x), y)
        loss.backward(); optimizer.step()

Then `warpgauge dnn densities maps --out mine.csv` and `warpgauge dnn run --densities mine.csv ...`. Files are
named after the module: maps/features.3_it500.npy. Call the layers of the network file the same.
"""

import contextlib
import os

import numpy
import torch

KINDS = (torch.nn.ReLU, torch.nn.ReLU6, torch.nn.GELU, torch.nn.MaxPool2d, torch.nn.AvgPool2d,
         torch.nn.AdaptiveAvgPool2d, torch.nn.LocalResponseNorm, torch.nn.BatchNorm2d)


class ActivationDump:
    """Writes the outputs of a model's layers of `kinds`, at most `images` images of each."""

    def __init__(self, model, folder, kinds=KINDS, images=16):
        self.folder = folder
        self.images = images
        self.step = None
        for name, module in model.named_modules():
            if isinstance(module, kinds):
                module.register_forward_hook(self._hook(name))

    @contextlib.contextmanager
    def at(self, step, wanted=True):
        """Forward passes inside are dumped as iteration `step`."""
        self.step = step if wanted else None
        try:
            yield
        finally:
            self.step = None

    def _hook(self, name):
        def write(_module, _inputs, output):
            if self.step is None:
                return
            path = os.path.join(self.folder, f"{name}_it{self.step}.npy")
            os.makedirs(self.folder, exist_ok=True)
            array = output[: self.images].detach().to("cpu")
            if array.dtype == torch.bfloat16:  # NumPy has none: the same bits as two raw bytes
                array = array.contiguous().view(torch.int16)
                numpy.save(path, array.numpy().view("V2"))
            else:
                numpy.save(path, array.contiguous().numpy())

        return write
