package io.kubemirror.api.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Tests how a resource is found whose mirrors start with a request, and may end at any time. */
class OnDemandTypesTest {

    private static final RequestPath.Resource PODS = new RequestPath.Resource("", "v1", "pods");

    private static final MirroredResource MIRRORED =
            new MirroredResource(
                    ServedTypes.PODS,
                    List.of(),
                    (mirror, type) -> {
                        throw new AssertionError(mirror.scope() + " has no selectors");
                    });

    private final Types types = new Types();

    @Test
    void resource_with_mirrors_is_found_at_once() throws Exception {
        types.mirrored = true;
        assertThat(types.find(PODS, false, types::lookUp)).isSameAs(MIRRORED);
        assertThat(types.demands).isZero();
    }

    @Test
    void resource_without_mirrors_is_found_after_they_are_created() throws Exception {
        assertThat(types.present(PODS, false, types::lookUp)).isEmpty();
        assertThat(types.find(PODS, false, types::lookUp)).isSameAs(MIRRORED);
        assertThat(types.demands).isOne();
    }

    @Test
    void mirrors_that_end_before_they_are_found_are_created_again() throws Exception {
        types.ends = 2;
        assertThat(types.find(PODS, false, types::lookUp)).isSameAs(MIRRORED);
        assertThat(types.demands).isEqualTo(3);
    }

    @Test
    void mirrors_that_end_between_the_two_lookups_are_not_present() throws Exception {
        types.mirrored = true;
        types.ends = 1;
        assertThat(types.present(PODS, false, types::lookUp)).isEmpty();
    }

    @Test
    void resource_that_is_not_on_demand_is_refused_as_the_lookup_refuses_it() {
        types.served = false;
        assertThatExceptionOfType(Rejection.class)
                .isThrownBy(() -> types.find(PODS, false, types::lookUp))
                .isSameAs(types.refusal);
        assertThat(types.demands).isOne();
    }

    /** One type, whose mirrors end a number of times just before they are looked up. */
    private static final class Types implements OnDemandTypes {

        private final Rejection refusal = Rejection.absent("");
        private boolean served = true;
        private boolean mirrored;
        private int ends;
        private int demands;

        MirroredResource lookUp() throws Rejection {
            if (mirrored && ends > 0) {
                ends--;
                mirrored = false;
            }
            if (!mirrored) {
                throw refusal;
            }
            return MIRRORED;
        }

        @Override
        public boolean isEmpty() {
            return false;
        }

        @Override
        public boolean use(RequestPath.Resource resource, boolean watch) {
            return mirrored;
        }

        @Override
        public boolean serves(RequestPath.Resource resource) {
            return served;
        }

        @Override
        public boolean demand(RequestPath.Resource resource, boolean watch) {
            demands++;
            mirrored = served;
            return served;
        }

        @Override
        public void answered(RequestPath.Resource resource) {
            throw new AssertionError(resource + " is only looked for");
        }

        @Override
        public List<ResourceType> types() {
            return List.of(ServedTypes.PODS);
        }

        @Override
        public boolean isComplete() {
            return true;
        }
    }
}
