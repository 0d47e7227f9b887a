package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.UpstreamStatus.State;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorState.BackingOff;
import io.kubemirror.reflector.ReflectorState.Opening;
import io.kubemirror.reflector.ReflectorState.Synchronizing;
import io.kubemirror.reflector.ReflectorState.Watching;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;

/** Tests how a reflector continues a mirror that was restored from disk, at revision 120. */
class RestoredMirrorTest extends StateMachineHarness {

    @Test
    @TransitionRow({
        "Resolving: type found, and the mirror has been restored from disk",
        "Opening: accepted"
    })
    void restored_mirror_is_watched_after_a_list_of_one_object() {
        restored(object("a/x", 100));
        api.listsPage(125, "token", object("a/x", 100));

        assertThat(openedAfterRestart()).isInstanceOf(Watching.class);
        assertThat(api.lists).containsExactly(new ListRequest(pods, null, 1, null));
        assertThat(mirror.upstream().state()).isEqualTo(State.SYNCED);
        assertThat(writer.isRestored()).isFalse();
    }

    /** A server that starts may not have published its types yet. */
    @Test
    void restored_content_is_dropped_only_if_its_type_is_missing_twice() {
        restored(object("a/x", 100));
        Result<TypeLookup> unknown = Result.of(new TypeLookup.Unknown(List.of()));
        api.discovers(unknown).discovers(PODS).discovers(unknown).discovers(unknown);

        BackingOff waiting = resting(step(RESOLVING));
        assertThat(waiting.delay()).isLessThan(Duration.ofSeconds(2));
        assertThat(run(waiting, 2)).isEqualTo(opening);
        assertThat(mirror.snapshot()).isPresent();

        run(RESOLVING, 3);
        assertThat(mirror.snapshot()).isEmpty();
        assertThat(mirror.type()).isEmpty();
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.ABSENT);
    }

    /** Its type has just been looked up, and would lead to the same watch again. */
    @Test
    void restored_custom_resource_whose_revision_is_expired_is_listed() {
        restored(object("a/x", 100));
        ResourceCollection widgets =
                new ResourceCollection(ServedTypes.WIDGETS, pods.selection(), pods.shape());
        api.answersWatch(refused(410, "Expired"));

        assertThat(afterBackoff(step(new Opening(widgets)))).isInstanceOf(Synchronizing.class);
    }

    /** Such a client has seen what the list does not show, so it must list. */
    @Test
    void client_ahead_of_the_restored_mirror_expires_if_a_list_was_needed() {
        restored(object("a/x", 100));
        assertThat(mirror.start(new Revision("122"))).isInstanceOf(StartPosition.From.class);

        synced(130, object("a/x", 125));

        assertThat(mirror.start(new Revision("120"))).isInstanceOf(StartPosition.From.class);
        assertThat(mirror.start(new Revision("122")))
                .isEqualTo(new StartPosition.TooOld(new Revision("130")));
        assertThat(mirror.start(new Revision("130"))).isInstanceOf(StartPosition.From.class);
    }

    private ReflectorState openedAfterRestart() {
        api.discovers(PODS).streams();
        return run(RESOLVING, 2);
    }
}
