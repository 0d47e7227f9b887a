package io.kubemirror.load;

import module java.base;

/**
 * What a process has used, as Linux counts it.
 *
 * @param cpu processor time of all threads, in ticks of 10 ms
 * @param kernel the part of it in the kernel
 * @param resident resident memory in bytes
 * @param waits how often one of the threads that still run has waited, and was switched to another
 */
record ProcessUsage(Duration cpu, Duration kernel, long resident, long waits) {

    static final ProcessUsage NOTHING = new ProcessUsage(Duration.ZERO, Duration.ZERO, 0, 0);

    /** Linux shows ticks of this length on every common configuration. */
    private static final int TICK_MILLIS = 10;

    /** Of {@code /proc/PID/stat}, counted behind the process's name. */
    private static final int USER_TICKS = 11;

    private static final int SYSTEM_TICKS = 12;

    static ProcessUsage of(long pid) {
        Path process = Path.of("/proc", Long.toString(pid));
        try {
            String stat = Files.readString(process.resolve("stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            long kernel = Long.parseLong(fields[SYSTEM_TICKS]);
            return new ProcessUsage(
                    ticks(Long.parseLong(fields[USER_TICKS]) + kernel),
                    ticks(kernel),
                    resident(Files.readString(process.resolve("status"))),
                    waits(process.resolve("task")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many bytes a process has caused to be written to disks, in whole pages. */
    static long written(long pid) {
        try {
            return number(
                    Files.readString(Path.of("/proc", Long.toString(pid), "io")), "write_bytes:");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Duration ticks(long ticks) {
        return Duration.ofMillis(ticks * TICK_MILLIS);
    }

    private static long resident(String status) {
        return number(status, "VmRSS:") * 1024;
    }

    private static long waits(Path threads) throws IOException {
        long waits = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
            for (Path thread : all) {
                try {
                    waits +=
                            number(
                                    Files.readString(thread.resolve("status")),
                                    "voluntary_ctxt_switches:");
                } catch (IOException gone) {
                    // The thread has ended.
                }
            }
        }
        return waits;
    }

    private static long number(String status, String name) {
        return status.lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
    }

    /** How many threads a process has, of those that the system knows. */
    static int threads(long pid) {
        return entries(pid, "task");
    }

    /** How many files and sockets a process has open. */
    static int files(long pid) {
        return entries(pid, "fd");
    }

    private static int entries(long pid, String directory) {
        String[] entries = Path.of("/proc", Long.toString(pid), directory).toFile().list();
        return entries == null ? 0 : entries.length;
    }

    /** The processor time since an earlier look. */
    Duration cpuSince(ProcessUsage earlier) {
        return cpu.minus(earlier.cpu);
    }
}
