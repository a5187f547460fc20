"""Prints step times of engines that aiconfigurator 0.12.0 estimates, one JSON object per line and card.

A card is a model on an accelerator with an engine and a number of tensor-parallel devices. Arguments: systems, for
example h200_sxm. A combination that aiconfigurator refuses, or that does not fit in device memory, has no line.
"""

import csv
import json
import os
import sys
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["AICONFIGURATOR_LOG_LEVEL"] = "CRITICAL"
warnings.simplefilter("ignore")

import aiconfigurator_core
from aiconfigurator.cli import api
from aiconfigurator.sdk.backends.factory import get_backend
from aiconfigurator.sdk.config import RuntimeConfig
from aiconfigurator.sdk.inference_session import InferenceSession
from aiconfigurator.sdk.models import get_model
from aiconfigurator.sdk.perf_database import get_database, get_latest_database_version

# Points of the curves, and points between them that judge the interpolation.
PROMPTS = [64, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536]
PROMPTS_BETWEEN = [128, 400, 800, 1500, 3000, 6000, 12000, 24000, 48000]
BATCHES = [1, 4, 8, 16, 32, 64, 128, 256, 512]
BATCHES_BETWEEN = [2, 12, 24, 48, 96, 192, 384]
CONTEXTS = [256, 4096, 65536]
CONTEXTS_BETWEEN = [1000, 8000, 32000]


def supported(system, engine):
    folder = os.path.join(os.path.dirname(aiconfigurator_core.__file__), "systems", "support_matrix")
    with open(os.path.join(folder, f"{system}.csv")) as file:
        for row in csv.DictReader(file):
            if row["Backend"] == engine and row["Mode"] == "agg" and row["Status"] == "PASS":
                yield row["HuggingFaceID"], row["Version"]


def session_of(model_name, system, engine, version, devices, experts):
    moe = {None: (None, None), "tensor": (devices, 1), "expert": (1, devices)}[experts]
    config = api._build_model_config(devices, 1, 1, *moe, None, None, None, None, None)
    database = get_database(system, engine, version)
    if api.check_is_moe(model_name):
        api.resolve_model_config_moe_comm(
            config,
            model_path=model_name,
            backend_name=engine,
            database=database,
            required_phases=("context", "generation"),
            fmha_quant_mode_explicit=False,
            kvcache_quant_mode_explicit=False,
        )
    api.resolve_context_fmha_by_data(config, model_name, database, engine, is_context_role=True)
    api.resolve_dsv4_moe_arch(config, model_name, system_name=system, backend_name=engine)
    api.resolve_nvfp4_for_system(config, system, model_name, backend_name=engine)
    model = get_model(model_name, config, engine)
    return InferenceSession(model, database, get_backend(engine)), config


def milliseconds(session, mode, **runtime):
    summary = session.run_static(runtime_config=RuntimeConfig(**runtime), mode=mode, stride=32)
    result = summary.get_result_dict()
    return round(float(result["ttft" if mode == "static_ctx" else "tpot"]), 3), summary.check_oom()


def card(model_name, system, engine, version, devices, experts):
    session, config = session_of(model_name, system, engine, version, devices, experts)
    prompt = lambda tokens: milliseconds(session, "static_ctx", batch_size=1, isl=tokens, osl=1)[0]
    step = lambda batch, context: milliseconds(session, "static_gen", batch_size=batch, isl=context, osl=2)[0]
    if milliseconds(session, "static_ctx", batch_size=1, isl=PROMPTS[0], osl=1)[1]:
        return None
    return {
        "model": model_name,
        "system": system,
        "engine": engine,
        "version": version,
        "devices": devices,
        "experts": experts,
        "weights": str(config.gemm_quant_mode.name),
        "cache": str(config.kvcache_quant_mode.name),
        "prompts": [prompt(tokens) for tokens in PROMPTS],
        "steps": [[step(batch, context) for context in CONTEXTS] for batch in BATCHES],
        "between": {
            "prompts": [[tokens, prompt(tokens)] for tokens in PROMPTS_BETWEEN],
            "steps": [[b, c, step(b, c)] for b in BATCHES_BETWEEN for c in CONTEXTS_BETWEEN],
        },
    }


def main():
    print(json.dumps({"prompts": PROMPTS, "batches": BATCHES, "contexts": CONTEXTS}))
    for system in sys.argv[1:]:
        for engine in ("vllm", "sglang"):
            version = get_latest_database_version(system, engine)
            names = sorted({name for name, tested in supported(system, engine) if tested == version})
            for name in names:
                divisions = ("tensor", "expert") if api.check_is_moe(name) else (None,)
                for devices, experts in [(d, e) for d in (1, 2, 4, 8) for e in divisions if d > 1 or e != "expert"]:
                    try:
                        found = card(name, system, engine, version, devices, experts)
                    except Exception as error:
                        print(f"{name} {system} {engine} {devices} {experts}: {error}"[:200], file=sys.stderr)
                        continue
                    if found is not None:
                        print(json.dumps(found), flush=True)


main()
