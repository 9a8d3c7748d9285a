// Metrics of the program itself: its settings, logs, recordings and process.

extension MetricFamily {
    static let configuration: [MetricFamily] = [
        gauge("refrain_build_info", labels: ["version"], "1, labelled with the version") { [Sample(1, [$0.version])] },
        counter("refrain_config_reloads_total", labels: ["result"], "Reloads of the configuration") { input in
            [Sample(input.reloads.succeeded, ["success"]), Sample(input.reloads.failed, ["failure"])]
        },
        gauge("refrain_config_last_reload_successful", "1 unless the last reload was refused") {
            one($0.reloads.lastFailure == nil)
        },
        gauge(
            "refrain_config_last_reload_success_timestamp_seconds", "Time of the last successful reload",
            \.reloads.lastSuccess),
        counter(
            "refrain_upgrades_failed_total", "Upgrades by SIGUSR2 that failed: this process continued",
            \.reloads.failedUpgrades),
        counter(
            "refrain_access_log_dropped_bytes_total",
            "Bytes of log lines dropped: the log was too slow or not writable",
            \.source.accessLogDropped),
    ]

    static let recording: [MetricFamily] = [
        gauge("refrain_recording", "1 while traffic is recorded", \.source.recording.isOn),
        counter("refrain_recorded_exchanges_total", "Recorded exchanges", \.source.recording.exchanges),
        counter("refrain_recorded_bytes_total", "Bytes written to recordings", \.source.recording.bytes),
        counter(
            "refrain_recording_dropped_total",
            "Exchanges not recorded: the writer was too slow, or the disk failed",
            \.source.recording.dropped),
    ]

    static let process: [MetricFamily] = [
        counter(
            "refrain_loop_stalls_total", labels: ["loop"], "Times that an event loop took no turn for two seconds"
        ) { input in input.source.stalls.counts.enumerated().map { Sample($1, [String($0)]) } },
        counter(
            "process_cpu_seconds_total", "Processor time of the process, user and system", \.process.cpuSeconds),
        gauge("process_resident_memory_bytes", "Memory of the process in RAM", \.process.residentBytes),
        gauge("process_virtual_memory_bytes", "Address space of the process", \.process.virtualBytes),
        gauge("process_threads", "Threads of the process", \.process.threads),
        gauge("process_open_fds", "Open file descriptors", \.process.openDescriptors),
        gauge("process_max_fds", "Maximum number of open file descriptors", \.process.mostDescriptors),
        gauge("process_start_time_seconds", "Start time of the process, in unix seconds", \.process.startedAt),
    ]
}
