/**
 * Excerpts of logs of vLLM 0.32.0 (CPU build) that did not start, with paths shortened: a context of 4,000,000 tokens
 * with 1 GiB of KV cache, a truncated file of weights, an unknown flag, and a context longer than the context of the
 * model.
 */
export const kvCacheTooSmall = `(EngineCore pid=4647) ERROR 11-28 10:09:58 [core.py:1510]     raise ValueError(
(EngineCore pid=4647) ERROR 11-28 10:09:58 [core.py:1510] ValueError: To serve at least one request with the model's max seq len (4000000), (3.81 GiB KV cache is needed, which is larger than the available KV cache memory (1.0 GiB). Based on the available memory, the estimated maximum model length is 1048448. Try increasing \`gpu_memory_utilization\` (which also controls CPU memory on the CPU backend) or decreasing \`max_model_len\` when initializing the engine. See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details.
(EngineCore pid=4647) ERROR 11-28 10:10:06 [multiproc_executor.py:315] Worker proc VllmWorker-0 died unexpectedly (exit code: None), shutting down executor.
(EngineCore pid=4647) INFO 11-28 10:10:06 [multiproc_executor.py:479] [shutdown] Executor: waiting for worker exit count=1
Process EngineCore:
    raise ValueError(
ValueError: To serve at least one request with the model's max seq len (4000000), (3.81 GiB KV cache is needed, which is larger than the available KV cache memory (1.0 GiB). Based on the available memory, the estimated maximum model length is 1048448. Try increasing \`gpu_memory_utilization\` (which also controls CPU memory on the CPU backend) or decreasing \`max_model_len\` when initializing the engine. See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details.
    raise RuntimeError(
RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}
/lib/multiprocessing/resource_tracker.py:254: UserWarning: resource_tracker: There appear to be 1 leaked shared_memory objects to clean up at shutdown
  warnings.warn('resource_tracker: There appear to be %d '
`;

export const truncatedShard = `(Worker pid=4062) ERROR 11-28 10:07:17 [multiproc_executor.py:953]     with safe_open(st_file, framework="pt") as f:
(Worker pid=4062) ERROR 11-28 10:07:17 [multiproc_executor.py:953]          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
(Worker pid=4062) ERROR 11-28 10:07:17 [multiproc_executor.py:953] safetensors._safetensors_rust.SafetensorError: Error while deserializing header: invalid header length
(EngineCore pid=3949) INFO 11-28 10:07:17 [multiproc_executor.py:479] [shutdown] Executor: waiting for worker exit count=1
(EngineCore pid=3949) INFO 11-28 10:07:21 [multiproc_executor.py:486] [shutdown] Executor: all workers exited gracefully
(EngineCore pid=3949) ERROR 11-28 10:07:21 [core.py:1510] EngineCore failed to start.
(EngineCore pid=3949) ERROR 11-28 10:07:21 [core.py:1510] Traceback (most recent call last):
(EngineCore pid=3949) ERROR 11-28 10:07:21 [core.py:1510] Exception: WorkerProc initialization failed due to an exception in a background process. See stack trace for root cause.
Exception: WorkerProc initialization failed due to an exception in a background process. See stack trace for root cause.
    raise RuntimeError(
RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore': 1}
`;

export const unknownFlag = `               ...
main.py: error: unrecognized arguments: --no-such-flag 1
`;

export const contextTooLong = `    s.__pydantic_validator__.validate_python(ArgsKwargs(args, kwargs), self_instance=s)
pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig
  Value error, User-specified max_model_len (100000) is greater than the derived max_model_len (max_position_embeddings=8192.0 or model_max_length=None in model's config.json). To allow overriding this maximum, set the env var VLLM_ALLOW_LONG_MAX_MODEL_LEN=1. VLLM_ALLOW_LONG_MAX_MODEL_LEN must be used with extreme caution. If the model uses relative position encoding (RoPE), positions exceeding derived_max_model_len lead to nan. If the model uses absolute position encoding, positions exceeding derived_max_model_len will cause a CUDA array out-of-bounds error. [type=value_error, input_value=ArgsKwargs((), {'model': ...nderer_num_workers': 1}), input_type=ArgsKwargs]
    For further information visit https://errors.pydantic.dev/2.14/v/value_error
`;
