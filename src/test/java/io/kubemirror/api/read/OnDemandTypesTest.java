package io.kubemirror.api.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.OnDemandTypes.Lookup;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;

/** Tests how a resource is found whose mirrors start with a request, and may end at any time. */
class OnDemandTypesTest {

    private static final RequestPath.Resource PODS = new RequestPath.Resource("", "v1", "pods");

    private static final MirroredResource MIRRORED =
            new MirroredResource(
                    ServedTypes.PODS,
                    List.of(),
                    List.of(),
                    new MirrorDirectory(
                            MirrorSets.of(List.of()), ApiFixture.POLICIES, () -> 0, () -> true),
                    null);

    private final Rejection absent = Rejection.absent("");

    private static EndingType pods(boolean mirrored) {
        return new EndingType(mirrored, () -> {}, () -> {});
    }

    private Lookup in(EndingType type) {
        return () -> {
            if (!type.isMirrored()) {
                throw absent;
            }
            return MIRRORED;
        };
    }

    @Test
    void resource_with_mirrors_is_found_at_once() throws Exception {
        EndingType type = pods(true);
        assertThat(type.find(PODS, false, in(type))).isSameAs(MIRRORED);
        assertThat(type.demands()).isZero();
    }

    @Test
    void resource_without_mirrors_is_found_after_they_are_created() throws Exception {
        EndingType type = pods(false);
        assertThat(type.find(PODS, false, in(type))).isSameAs(MIRRORED);
        assertThat(type.demands()).isOne();
    }

    @Test
    void mirrors_that_end_before_they_are_found_are_created_again() throws Exception {
        EndingType type = pods(false).ending(2);
        assertThat(type.find(PODS, false, in(type))).isSameAs(MIRRORED);
        assertThat(type.demands()).isEqualTo(3);
    }

    @Test
    void mirrors_that_end_between_the_two_lookups_are_created_again() throws Exception {
        EndingType type = pods(true).ending(1);
        assertThat(type.find(PODS, false, in(type))).isSameAs(MIRRORED);
        assertThat(type.demands()).isOne();
    }

    @Test
    void resource_that_is_not_on_demand_is_refused_as_the_lookup_refuses_it() {
        assertThatExceptionOfType(Rejection.class)
                .isThrownBy(
                        () ->
                                OnDemandTypes.NONE.find(
                                        PODS,
                                        false,
                                        () -> {
                                            throw absent;
                                        }))
                .isSameAs(absent);
    }
}
