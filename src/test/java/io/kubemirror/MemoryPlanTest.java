package io.kubemirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.upstream.kube.ClientSettings;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.unit.DataSize;

import java.util.Map;

class MemoryPlanTest {

    private static final long MEGABYTE = 1L << 20;

    private static MemoryPlan plan(@Nullable String limit, @Nullable String clients, long heap) {
        return PlanReader.memory(
                new MirrorProperties.Memory(
                        limit == null ? null : DataSize.parse(limit),
                        clients == null ? null : DataSize.parse(clients)),
                heap * MEGABYTE);
    }

    /** With a heap of 128 MB the JVM reports 124, as one survivor space is always empty. */
    @Test
    void the_limit_is_derived_from_the_heap() {
        MemoryPlan plan = plan(null, null, 124);

        assertThat(plan.limit() / MEGABYTE).isEqualTo(81);
        assertThat(plan.clients()).isEqualTo(plan.limit() / 5);
        assertThat(plan.mirrors()).isEqualTo(plan.limit() - plan.clients());
        assertThat(plan(null, null, 20).limit()).isEqualTo(4 * MEGABYTE);
    }

    /** With a heap of 512 MB, for 10,000 connections of 8 KB in three quarters of the part. */
    @Test
    void clients_get_more_of_a_larger_heap() {
        assertThat(plan("100MB", null, 512).clients() / MEGABYTE).isEqualTo(20);
        assertThat(plan("200MB", null, 512).clients() / MEGABYTE).isEqualTo(60);
        assertThat(plan(null, null, 512).clients() / 4 * 3 / ClientMemory.CONNECTION)
                .isGreaterThan(10_000);
    }

    @Test
    void limit_and_clients_can_be_set() {
        assertThat(plan("40MB", "10MB", 124))
                .isEqualTo(new MemoryPlan(40 * MEGABYTE, 10 * MEGABYTE));
    }

    @ParameterizedTest
    @CsvSource({
        "300MB,, 'kubemirror.memory.limit: 300 MB is more than the heap of 124 MB; use 81MB or"
                + " less, or raise -Xmx'",
        "1MB,, 'kubemirror.memory.limit: 1 MB is too small; use 4MB or more, or raise -Xmx'",
        "40MB, 40MB, 'kubemirror.memory.clients: 40 MB leaves too little for clients or for"
                + " mirrors; use 1MB or more, and at least 1MB less than the limit of 40 MB'",
        "40MB, 0MB, 'kubemirror.memory.clients: 0 MB leaves too little for clients or for mirrors;"
                + " use 1MB or more, and at least 1MB less than the limit of 40 MB'"
    })
    void what_cannot_work_is_refused_with_a_remedy(String limit, String clients, String line) {
        assertThatThrownBy(() -> plan(limit, clients, 124)).hasMessage(line);
    }

    @Test
    void the_largest_object_follows_from_the_memory_unless_it_is_configured() {
        MemoryPlan plan = plan("100MB", "20MB", 200);

        assertThat(client(null, plan).objectLimit()).isEqualTo(10 * MEGABYTE);
        assertThat(client("3MB", plan).objectLimit()).isEqualTo(3 * MEGABYTE);
        assertThatThrownBy(() -> client("1KB", plan))
                .hasMessageContaining("kubemirror.upstream.max-object-bytes")
                .hasMessageContaining("at most 40MB");
        assertThatThrownBy(() -> client("41MB", plan)).hasMessageContaining("at most 40MB");
    }

    private static ClientSettings client(@Nullable String configured, MemoryPlan plan) {
        Map<String, String> written =
                configured == null ? Map.of() : Map.of("upstream.max-object-bytes", configured);
        MirrorProperties.UpstreamProperties upstream =
                new Binder(new MapConfigurationPropertySource(written))
                        .bindOrCreate("upstream", MirrorProperties.UpstreamProperties.class);
        return PlanReader.client(upstream, "1", plan, MemoryBudget.unlimited());
    }
}
