package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.model.MemoryBudget;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.unit.DataSize;

class MemoryConfigurationTest {

    private static final long MEGABYTE = 1L << 20;

    private static long limit(@Nullable String configured, long heap) {
        return MemoryConfiguration.limit(size(configured), heap * MEGABYTE);
    }

    private static long clients(@Nullable String configured, long limit) {
        return MemoryConfiguration.clients(size(configured), limit);
    }

    private static @Nullable DataSize size(@Nullable String configured) {
        return configured == null ? null : DataSize.parse(configured);
    }

    /** With a heap of 128 MB the JVM reports 124, as one survivor space is always empty. */
    @Test
    void limit_is_derived_from_the_heap() {
        long limit = limit(null, 124);

        assertThat(limit / MEGABYTE).isEqualTo(81);
        assertThat(clients(null, limit)).isEqualTo(limit / 5);
        assertThat(limit(null, 20)).isEqualTo(4 * MEGABYTE);
    }

    /**
     * The chart's memory limit gives the JVM of a sidecar a heap of 460 MB, of which it reports
     * 444.
     */
    @Test
    void clients_get_more_of_a_larger_heap() {
        assertThat(clients(null, limit("100MB", 512)) / MEGABYTE).isEqualTo(20);
        assertThat(clients(null, limit("200MB", 512)) / MEGABYTE).isEqualTo(60);
        MemoryBudget ofTheChart = MemoryBudget.of(clients(null, limit(null, 444)));
        assertThat(ClientMemory.of(ofTheChart).maxConnections()).isGreaterThan(12_000);
    }

    @Test
    void mirrors_get_what_clients_leave() {
        MirrorProperties properties =
                BoundProperties.of(
                        Map.of(
                                "kubemirror.memory.limit",
                                "5MB",
                                "kubemirror.memory.clients",
                                "1MB"));
        MemoryConfiguration configuration = new MemoryConfiguration();
        MemoryBudget clients = configuration.clientMemory(properties);

        assertThat(clients.limit()).isEqualTo(MEGABYTE);
        assertThat(configuration.mirrorMemory(properties, clients).limit()).isEqualTo(4 * MEGABYTE);
    }

    @ParameterizedTest
    @CsvSource({
        "300MB,, 'kubemirror.memory.limit: 300 MB exceeds the heap of 124 MB; use 81MB or"
                + " less, or raise -Xmx'",
        "1MB,, 'kubemirror.memory.limit: 1 MB is too small; use 4MB or more, or raise -Xmx'",
        "40MB, 40MB, 'kubemirror.memory.clients: 40 MB leaves too little memory for clients"
                + " or mirrors; use 1MB or more, and at least 1MB less than the limit of 40 MB'",
        "40MB, 0MB, 'kubemirror.memory.clients: 0 MB leaves too little memory for clients or"
                + " mirrors; use 1MB or more, and at least 1MB less than the limit of 40 MB'"
    })
    void invalid_memory_settings_are_rejected_with_a_fix(
            String limit, String clients, String line) {
        assertThatThrownBy(() -> clients(clients, limit(limit, 124)))
                .extracting(BoundProperties::mistake, STRING)
                .isEqualTo(line);
    }

    @Test
    void object_limit_is_derived_from_memory() {
        assertThat(MemoryConfiguration.objectLimit(80 * MEGABYTE)).isEqualTo(10 << 20);
        assertThat(MemoryConfiguration.objectLimit(2 * MEGABYTE)).isEqualTo(1 << 20);
    }
}
