"""How results are shown: the decimals of each, which a report rounds to and a reader takes for its precision."""

from engine.metrics import FACTS, METRICS, PROGRAMME

DECIMALS = {
    0: """
        tokens_per_step tokens_per_second parameters trained_parameters active_parameters parameters_matmul
        micro_batches data_parallel expert_data_parallel expert_tensor_parallel kv_replication sequence_multiple
        padded_vocabulary steps gpu_hours energy used_gpus idle_gpus valid_layout ridge programme.energy
        programme.gpu_hours programme.peak_gpus programme.shortfall""",
    1: """
        bubble bubble_share communication_fraction tokens_per_second_per_gpu model_flops mfu mfu_attention
        mfu_causal mfu_bf16 hfu memory_per_gpu memory_allocated memory_step memory_load memory_update
        memory_save memory_host memory_headroom checkpoint_size checkpoint_interval checkpoint_best
        checkpoint_save restart_time spare_wait effective_training_time time_to_train carbon scaling_efficiency
        launch_share programme.time programme.utilization programme.lateness""",
    2: """
        weights_memory gradients_memory optimizer_memory gathered_memory activation_memory logits_memory
        buffer_memory mtbf straggler_time straggler_cost cost peak_power mean_power smallest_collective
        programme.cost""",
    3: """
        step_time simulated_step_time compute_time tensor_communication context_communication
        pipeline_communication expert_communication data_communication exposed_communication bubble_time
        optimizer_time offload_time launch_time overhead_time cost_per_token""",
}


def test_decimals_of_every_result() -> None:
    named = {name: decimals for decimals, names in DECIMALS.items() for name in names.split()}
    assert {m.name: m.decimals for m in (*METRICS, *PROGRAMME)} == named
    assert {m.decimals for m in FACTS if m.name.startswith("group.")} == {0}
