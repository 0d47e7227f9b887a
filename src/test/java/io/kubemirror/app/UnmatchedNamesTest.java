package io.kubemirror.app;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;
import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Resync;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.StoredFields;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.LogLines;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests which names of the configuration the log warns of. */
class UnmatchedNamesTest {

    @AutoClose private final LogLines log = new LogLines(UnmatchedNames.class);
    private final CountDownLatch asked = new CountDownLatch(1);
    private Result<List<KubeObject>> namespaces = Result.of(List.of());

    @Test
    void paths_that_no_object_has_are_logged() {
        KubeObject object =
                object("a/x", 101).with(Map.of(), Map.of("spec.nodeNam", "", "spec.x", "1"));

        names("", object).check();

        assertThat(log.messages())
                .containsExactly(
                        "pods: keep-fields: metadata.label matches none of the first objects;"
                                + " correct it in kubemirror.resources if it is misspelt",
                        "pods: index-fields: spec.nodeNam matches none of the first objects;"
                                + " correct it in kubemirror.resources if it is misspelt");
        assertThat(log.fields(0))
                .containsEntry("event.action", "unmatched")
                .containsEntry("kubemirror.resource", "pods");
    }

    /** The reflector does not wait for the answer about the namespace. */
    @Test
    void namespace_that_does_not_exist_is_logged_once_after_the_first_list() {
        UnmatchedNames names = names("shp");

        names.accept(TimedSpan.LIST, Duration.ZERO);
        names.accept(TimedSpan.LIST, Duration.ZERO);
        asked.countDown();

        WaitLimit.until(() -> !log.messages().isEmpty());
        assertThat(log.messages())
                .containsExactly(
                        "pods/shp: the namespace does not exist; create it, or correct namespaces"
                                + " in kubemirror.resources");
    }

    @Test
    void namespace_that_exists_or_cannot_be_read_is_not_logged() {
        asked.countDown();
        namespaces = Result.of(List.of(object("shop", 3)));
        names("shop").check();
        namespaces = Result.failed(Failure.Refused.of(403, "no"));
        names("shop").check();

        assertThat(log.messages()).isEmpty();
    }

    private UnmatchedNames names(String namespace, KubeObject... objects) {
        Mirror mirror =
                Mirrors.of(
                        new Scope(new ResourceName("pods"), selection(namespace, "", "")),
                        Mirrors.window());
        Resync list = Mirrors.writer(mirror, () -> 0).resync();
        List.of(objects).forEach(list::add);
        list.complete(revision(110));
        return new UnmatchedNames(
                mirror,
                new Namespaces(),
                ReflectorEnvironments.settings(
                        Strategy.LIST_WATCH,
                        500,
                        new StoredFields(
                                List.of(
                                        FieldPath.parse("metadata.label"),
                                        FieldPath.parse("metadata")),
                                List.of()),
                        List.of(SelectableField.at("spec.nodeNam"), SelectableField.at("spec.x")),
                        ReflectorEnvironments.timeouts()));
    }

    /** A server that is asked for one namespace. */
    private final class Namespaces implements Source {

        @Override
        public SourceDescription description() {
            return new SourceDescription("a test", "a test", "kubemirror.upstream");
        }

        @Override
        public Result<TypeLookup> resolve(ResourceName name) {
            Unchecked.run(asked::await);
            return Result.of(new TypeLookup.Found(ServedTypes.NAMESPACES));
        }

        @Override
        public Result<ListMeta> list(ListRequest request, Consumer<KubeObject> objects) {
            assertThat(request.collection().selection().fields().text())
                    .startsWith("metadata.name=sh");
            return namespaces.then(
                    all -> {
                        all.forEach(objects);
                        return Result.of(new ListMeta(revision(110), null));
                    });
        }

        @Override
        public Result<WatchStream> watch(WatchRequest request) {
            throw new UnsupportedOperationException();
        }
    }
}
