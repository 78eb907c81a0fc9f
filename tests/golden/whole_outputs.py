#!/usr/bin/env python3
"""What commands write, whole: text and JSON on the fixtures of the tree and on traces that tied_traces.py makes.

Kept beside the fixtures, in whole_outputs/: texts on fixtures as they are (NAME.txt), and a digest of each other output
(digests.txt), so that they stay small. After a change that is meant to change them, with a built program:
LACUNA_BIN=build/dev/app/lacuna python3 -B tests/golden/whole_outputs.py
Then read what `git diff` shows of the texts, and for digests what `--show 'COMMAND'` prints before the change and after
it: a number that the change does not explain is a mistake.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import pickle
import random
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "tests" / "fixtures"
KEPT = FIXTURES / "whole_outputs"
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import tied_traces  # noqa: E402

MADE = 16  # made traces
LONG_NUMBER = re.compile(r"\d+\.\d{7,}(e-?\d+)?")  # whose last digits are the compiler's
OF_A_TRACE = (
    "info", "report", "report --json", "report --brief --json", "gaps --limit 0", "gaps --kernels-only --json", "gaps --causes",
    "gaps --causes --whole --json", "gaps --by-operator --json", "gaps --dead-windows --json", "gaps --launches --json",
    "stats --json", "stats --table torch --row-limit -1", "stats --group-by shape --json",
    "stats --group-by module --json", "stats --group-by step --json", "stats --group-by family --csv",
    "stats --group-by stack --csv", "calls --by cpu --python --json", "calls --by gpu --json", "calls --by idle --json",
    "calls --by cpu --bottom-up --folded", "critical-path --json", "what-if --json",
    "what-if --no-cause launch_bound --json", "what-if --scale aten::mm=0.5 --no-cause sync --json", "what-if --fuse aten::mm,aten::add --json", "roofline --json", "memory --json",
    "gaps --min-us 2 --stream 0:7 --json", "stats --from-us 1010 --to-us 1040 --json", "stats --histogram aten::mm --json",
    "stats --group-by name --columns count,p50,p99,grid,block,occupancy,flops,bytes,gbps,gpu_time,launch_delay --json",
    "stats --group-by class --json", "stats --group-by stream --sort-by avg --json", "calls --by gpu --name aten::mm --json",
    "calls --by cpu --from-us 1010 --to-us 1040 --json", "critical-path --from-us 1010 --to-us 1040 --json",
    "memory --at 1040 --by stack --json", "memory --at end --by category --json", "memory --by module --json")
OF_TABLES = tuple(f"query TRACE '{sql}' --csv" for sql in (
    *(f"SELECT * FROM {table}" for table in ("slice", "thread", "args", "flow", "counter", "gap", "launch", "operator", "step", "stream",
                                             "gpu", "gpu_kernel", "roofline", "thread_track")),
    "CREATE TABLE s AS SELECT ts, dur, name AS step FROM step; CREATE TABLE k AS SELECT ts, dur, name FROM gpu_kernel "
    "WHERE stream = 7 AND device = 0 AND dur > 0; CREATE VIRTUAL TABLE j USING SPAN_LEFT_JOIN(s, k); SELECT * FROM j"))
# Grammars of the libraries, a name of each.
KERNELS = ("ampere_sgemm_128x64_tn", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "sm80_xmma_fprop_implicit_gemm_tf32f32",
           "cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8", "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNT",
           "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_nn_align8>(cutlass::Params)",
           "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t>, false, true, false, true>(int)",
           "void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64, 128, 128, 8, cutlass::half_t>, true>(int)",
           "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(int)", "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3_64x128x64",
           "triton_per_fused__softmax_add_5", "triton_red_fused_native_layer_norm_2", "triton_tem_fused_mm_3", "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32",
           "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>>(int)",
           "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float>>>(int)",
           "void gemmSN_TN_kernel<float, 128, 16, 2, 4, 8, 9, false>(cublasGemmSmallNParams)", "gemv2T_kernel_val", "splitKreduce_kernel",
           "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL128(ncclDevKernelArgsStorage<4096ul>)", "ncclKernel_SendRecv_RING_SIMPLE", "k", "")

def snapshot(seed):
    """A pickle as torch.cuda.memory._dump_snapshot() writes it: few addresses and sizes, many times that are equal."""
    draw = random.Random(seed)
    upto = lambda most: int(draw.random() * (most + 1))
    inner = (("f0.py", "g0"), ("/torch/optim/adam.py", "step"), ("/torch/nn/modules/linear.py", "forward"), ("f1.py", "g3"),
             ("/torch/autograd/__init__.py", "backward"), ("/torch/utils/data/dataloader.py", "__next__"), ("model.py", "__init__"))
    frames = [[{"filename": file, "line": n, "name": name}, {"filename": "train.py", "line": 3, "name": "step"}]
              for n, (file, name) in enumerate(inner)]
    live, entries, time, base = {}, [], 100, 1 << 20
    entries.append({"action": "segment_alloc", "addr": base, "size": 1 << 15, "stream": 0, "time_us": time, "frames": frames[0]})
    for _ in range(60):
        time += upto(1)
        address = base + 4096 * upto(7)
        if address in live:
            size = live.pop(address)
            for action in ("free_requested", "free_completed"):
                entries.append({"action": action, "addr": address, "size": size, "stream": 0, "time_us": time, "frames": frames[upto(len(frames) - 1)]})
        else:
            live[address] = 512 * (1 + upto(7))
            entries.append({"action": "alloc", "addr": address, "size": live[address], "stream": 0, "time_us": time, "frames": frames[upto(len(frames) - 1)]})
    if seed % 2:
        entries.append({"action": "oom", "addr": 1 << 20, "device_free": 4096 * upto(3), "size": 1 << 14, "stream": 0, "time_us": time, "frames": frames[1]})
    blocks, at = [], base
    for address in [*sorted(live), base + (1 << 15)]:
        if address > at:
            blocks.append({"address": at, "size": address - at, "requested_size": 0, "state": "inactive", "frames": []})
        if address in live:
            blocks.append({"address": address, "size": live[address], "requested_size": live[address], "state": "active_allocated", "frames": frames[upto(len(frames) - 1)]})
            at = address + live[address]
    used = sum(live.values())
    marks = [{"stage": stage, "name": f"ProfilerStep#{n}", "device": 0, "time_us": 100 + 5 * n + (4 if stage == "END" else 0)}
             for n in range(seed) for stage in ("START", "END")]
    segment = {"device": 0, "address": base, "total_size": 1 << 15, "allocated_size": used, "active_size": used, "requested_size": used,
               "stream": 0, "segment_type": "small", "segment_pool_id": (0, 0), "is_expandable": False, "frames": frames[0], "blocks": blocks}
    return pickle.dumps({"segments": [segment], "device_traces": [entries], "allocator_settings": {}, "external_annotations": marks}, protocol=4)


def flight_dump(seed):
    """What one of two ranks wrote of its collectives."""
    entries = []
    for n in range(1, 3 + seed):
        done = n < 3
        entries.append({
            "record_id": n, "pg_id": 0, "process_group": ("0", "default_pg"), "collective_seq_id": n, "p2p_seq_id": 0, "op_id": n,
            "profiling_name": "nccl:all_reduce", "time_created_ns": 1000 * n, "input_sizes": [[4 * n]], "output_sizes": [[4]],
            "input_dtypes": ["Float"], "output_dtypes": ["Float"], "state": "completed" if done else "scheduled",
            "time_discovered_started_ns": None, "time_discovered_completed_ns": None, "retired": done, "timeout_ms": 600000,
            "is_p2p": False, "frames": [{"name": "step", "filename": "train.py", "line": n}]})
    return pickle.dumps({"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
                         "pg_status": {}, "entries": entries}, protocol=4)


def make(folder):
    """The files that are made, in a folder; and the fixtures, whose paths there are as short wherever the tree lies."""
    for name in ("tests", "assets"):
        (folder / name).symlink_to(ROOT / name)
    for seed in range(MADE):
        (folder / f"tied{seed}.json").write_text(json.dumps(tied_traces.made(seed)))
    for seed in range(6):
        (folder / f"held{seed}.pickle").write_bytes(snapshot(seed))
    for rank in range(2):
        (folder / f"fr_{rank}").write_bytes(flight_dump(rank))
    job = folder / "ranks"
    job.mkdir()
    named = folder / "named"  # whose ranks only the names of the files tell
    named.mkdir()
    for rank in range(2):
        trace = tied_traces.made(4 + rank)
        (job / f"rank{rank}.json").write_text(json.dumps(trace))
        del trace["distributedInfo"]
        (named / f"rank{rank}.json").write_text(json.dumps(trace))


def cases():
    """(whole, digests): commands by the name of the file that keeps what they write; those of which a digest is kept.

    Fixtures are given as they lie below the root, what make() made by its name alone.
    """
    whole, digests = {}, []
    texts = [c for c in OF_A_TRACE if not c.endswith(("--json", "--csv", "--folded", "-1"))]
    texts += ["stats --limit 12", "calls --depth 6", "critical-path", "what-if", "roofline --limit 12", "gaps --launches", "gaps --by-operator"]
    for path in ("assets/demo.trace.json.gz", *(f"tests/fixtures/{name}.json.gz" for name in (
            "labelled_gaps", "lacuna_torch_cpu_train.pt.trace", "torch_cpu_mlp_memory.pt.trace", "torch_cpu_mlp_stack.pt.trace",
            "what_if_loader_slow.pt.trace"))):
        whole[pathlib.Path(path).name.split(".")[0]] = [f"{command} {path}" for command in texts if "--limit 0" not in command]
        digests += [f"{command} {path}" for command in OF_A_TRACE if command not in texts]
    for seed in range(MADE):
        path = f"tied{seed}.json"
        if seed < 4:
            whole[f"tied{seed}"] = [f"{command} {path}" for command in texts]
            digests += [command.replace("TRACE", path) for command in OF_TABLES]
            digests += [f"cut {path} --steps 4..4 -o /dev/stdout", f"cut {path} --from-us 1010 --to-us 1040 -o /dev/stdout"]
        digests += [f"{command} {path}" for command in OF_A_TRACE if seed >= 4 or command not in texts]
        digests += [f"{how} {path} tied{(seed + 4) % MADE}.json --json" for how in ("diff", "check")]
    ranks, preempted, loader = "tests/fixtures/eight_ranks", "tests/fixtures/job_preempted", "tests/fixtures/what_if_loader_"
    slow_fast = f"{loader}slow.pt.trace.json.gz {loader}fast.pt.trace.json.gz"
    whole["jobs"] = [f"job {path}" for path in (ranks, preempted, "ranks")] + ["hang fr_0 fr_1"]
    digests += [f"job {path} {how}" for path in (ranks, preempted, "ranks", "named")
                for how in ("--json", "--table stragglers --csv", "--table waits --csv", "--table steps --csv")]
    digests += [f"job {ranks} --compare {preempted} --json", f"what-if {ranks} --rank-even --json", "hang fr_0 fr_1 --json"]
    digests += [f"{how} --rank {rank} ranks --json" for how in ("critical-path", "critical-path --step 4", "what-if") for rank in (0, 1)]
    whole["kernels"] = [f"kernel {shlex.quote(name)}" for name in KERNELS]
    whole["held"] = [f"memory held{seed}.pickle" for seed in range(2)]
    digests += [f"memory held{seed}.pickle {how}" for seed in range(6)
                for how in ("--json", "--by stack --json", "--at start --by phase --json", "--by phase --json", "--by category --json", "--at end --by module --json", "--by segment --json")]
    digests += ["memory held0.pickle --compare held1.pickle --json"]
    whole["differences"] = [f"{how} {slow_fast}" for how in ("diff", "check", "check --markdown")]
    digests += [f"{how} {slow_fast} --json" for how in ("diff", "check")]
    return whole, digests


def written(program, folder, command):
    """One command, what it wrote, without the paths of this machine, and its exit code."""
    done = subprocess.run([program, *shlex.split(command)], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
                          env=dict(os.environ, XDG_CACHE_HOME=str(folder / "cache"), LC_ALL="C.UTF-8", COLUMNS="120"))
    text = (done.stdout + done.stderr).replace(str(ROOT) + "/", "").replace(str(folder) + "/", "")
    text = LONG_NUMBER.sub(lambda number: f"{float(number.group()):.9g}", text)
    return f"$ lacuna {command}\n{text}(exit {done.returncode})\n"


def all_written(program):
    """{name of a kept file: its text}"""
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor() as pool:
        folder = pathlib.Path(name)
        make(folder)
        whole, digests = cases()
        answers = {name: [pool.submit(written, program, folder, command) for command in of] for name, of in whole.items()}
        others = [pool.submit(written, program, folder, command) for command in digests]
        found = {name: "".join(answer.result() for answer in of) for name, of in answers.items()}
        found["digests"] = "".join(f"{hashlib.sha256(answer.result().encode()).hexdigest()[:16]}  lacuna {command}\n"
                                   for command, answer in zip(digests, others))
        return found


def main():
    program = str(pathlib.Path(os.environ["LACUNA_BIN"]).resolve())
    if sys.argv[1:2] == ["--show"]:
        with tempfile.TemporaryDirectory() as name:
            make(pathlib.Path(name))
            print(written(program, pathlib.Path(name), sys.argv[2]))
        return
    KEPT.mkdir(exist_ok=True)
    for name, text in all_written(program).items():
        path = KEPT / f"{name}.txt"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print("changed:", name)


if __name__ == "__main__":
    main()
