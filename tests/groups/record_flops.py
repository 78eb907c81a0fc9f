"""Prints the cases of flops_test.cpp from torch's own counter. Run by hand, with torch installed:

    python tests/groups/record_flops.py
"""
import torch
from torch.utils.flop_counter import FlopCounterMode
import torch.nn.functional as F


def count(call):
    with FlopCounterMode(display=False) as counter:
        call()
    return counter.get_total_flops()


def t(*shape, grad=False):
    return torch.zeros(shape, device="meta", requires_grad=grad)


CASES = {
    "mm": lambda: t(5, 7) @ t(7, 11),
    "addmm": lambda: torch.addmm(t(11), t(5, 7), t(7, 11)),
    "bmm": lambda: torch.bmm(t(3, 5, 7), t(3, 7, 11)),
    "baddbmm": lambda: torch.baddbmm(t(3, 5, 11), t(3, 5, 7), t(3, 7, 11)),
    "linear": lambda: F.linear(t(2, 3, 7), t(11, 7), t(11)),
    "conv2d": lambda: F.conv2d(t(2, 6, 32, 30), t(8, 3, 5, 3), None, (2, 1), (1, 2), (2, 1), 2),
    "conv1d": lambda: F.conv1d(t(2, 6, 33), t(8, 6, 4), None, 3),
    "conv_transpose2d": lambda: F.conv_transpose2d(t(2, 6, 8, 9), t(6, 4, 3, 3), None, 2, 1),
    "sdpa": lambda: torch.ops.aten._scaled_dot_product_flash_attention(
        t(2, 4, 10, 16), t(2, 4, 12, 16), t(2, 4, 12, 16)),
}
for name, call in CASES.items():
    print(name, count(call))
x, w = t(2, 6, 32, 30, grad=True), t(8, 6, 5, 3, grad=True)
y = F.conv2d(x, w, None, 1, 1)
print("conv2d_backward", tuple(y.shape), count(lambda: y.sum().backward()))
x, w = t(2, 6, 8, 9, grad=True), t(6, 4, 3, 3, grad=True)
z = F.conv_transpose2d(x, w, None, 2, 1)
print("conv_transpose2d_backward", tuple(z.shape), count(lambda: z.sum().backward()))
q, k, v = t(2, 4, 10, 16), t(2, 4, 12, 16), t(2, 4, 12, 16)
from torch.utils.flop_counter import sdpa_backward_flop_count
print("sdpa_backward", sdpa_backward_flop_count((2, 4, 10, 16), (2, 4, 10, 16), (2, 4, 12, 16), (2, 4, 12, 16)))
