package io.kubemirror.load;

import module java.base;

/**
 * What a measurement has shown.
 *
 * @param of the measurement
 * @param open the usage when all watches were open
 * @param after the usage when all events had arrived
 * @param client the processor time of the thread that has received them
 * @param deliveryTimes the events
 * @param begun when the first event was written
 * @param disconnected how many watches the server has closed
 * @param repeats how many events came again or in the wrong order
 */
record FanOutResult(
        FanOut of,
        ProcessUsage open,
        ProcessUsage after,
        Duration client,
        DeliveryTimes deliveryTimes,
        long begun,
        long disconnected,
        int repeats) {

    /** Deliveries that should have been and were not. */
    long lost() {
        return (long) of.load().events() * of.load().perDelivery() - deliveryTimes.deliveries();
    }

    double perSecond() {
        return deliveryTimes.deliveries() / ((deliveryTimes.end() - begun) / 1e9);
    }

    /** Processor time for each delivery, in microseconds. */
    double cpuPerDelivery() {
        return cpu().toNanos() / 1e3 / deliveryTimes.deliveries();
    }

    /** The part of it in the kernel. */
    double kernelPerDelivery() {
        return after.kernel().minus(open.kernel()).toNanos() / 1e3 / deliveryTimes.deliveries();
    }

    Duration cpu() {
        return after.cpuSince(open);
    }

    /** Milliseconds in which so many percent of the deliveries arrived. */
    double percentile(double percent) {
        return deliveryTimes.times().getValueAtPercentile(percent) / 1e6;
    }

    /** Processor time of the client for each delivery, in microseconds. */
    double clientPerDelivery() {
        return client.toNanos() / 1e3 / deliveryTimes.deliveries();
    }

    /**
     * Milliseconds from the answer to the write until the last watch had the event, for so many
     * percent of the events.
     */
    double last(double percent) {
        long[] sorted =
                IntStream.range(0, of.load().events())
                        .mapToLong(deliveryTimes::last)
                        .sorted()
                        .toArray();
        return sorted[Math.max(0, (int) Math.ceil(percent / 100 * sorted.length) - 1)] / 1e6;
    }

    @Override
    public String toString() {
        return "%.0f deliveries/s, %.2f us of CPU each (%.2f of the client's), p50 %.1f ms, p99 %.1f ms, max %.1f ms, %d closed, %d lost, %d repeated"
                .formatted(
                        perSecond(),
                        cpuPerDelivery(),
                        clientPerDelivery(),
                        percentile(50),
                        percentile(99),
                        percentile(100),
                        disconnected,
                        lost(),
                        repeats);
    }
}
