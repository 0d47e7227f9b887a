package io.kubemirror.app;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.FieldPath;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.TypeLookup;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns once, after the first list of a mirror, of what {@code kubemirror.resources} names and
 * nothing matches: a namespace that does not exist, and paths that no object has.
 */
final class UnmatchedNames implements BiConsumer<TimedSpan, Duration> {

    private static final Logger log = LoggerFactory.getLogger(UnmatchedNames.class);

    /** How many objects show whether a path is misspelt. */
    private static final int EXAMINED = 1_000;

    private final Mirror mirror;
    private final Source source;
    private final ReflectorSettings settings;

    /** Also true if there are no names to check. Used by the thread of the reflector. */
    private boolean checked;

    UnmatchedNames(Mirror mirror, Source source, ReflectorSettings settings) {
        this.mirror = mirror;
        this.source = source;
        this.settings = settings;
        checked =
                settings.stored().kept().isEmpty()
                        && settings.indexed().isEmpty()
                        && mirror.scope().namespace().isEmpty();
    }

    /** Called for each list, on the thread of the reflector, which must not wait. */
    @Override
    public void accept(TimedSpan span, Duration took) {
        if (!checked) {
            checked = true;
            Thread.ofVirtual().name("unmatched-" + mirror.scope()).start(this::check);
        }
    }

    /** Logs what matches nothing. */
    void check() {
        String namespace = mirror.scope().namespace();
        List<KubeObject> first =
                mirror.snapshot().map(Snapshot::objects).orElseGet(List::of).stream()
                        .limit(EXAMINED)
                        .toList();
        if (!first.isEmpty()) {
            settings.stored().kept().stream()
                    .filter(path -> first.stream().noneMatch(object -> names(object, path)))
                    .forEach(path -> warnOfPath("keep-fields: " + path));
            settings.indexed().stream()
                    .map(SelectableField::label)
                    .filter(one -> first.stream().allMatch(o -> "".equals(o.fields().get(one))))
                    .forEach(label -> warnOfPath("index-fields: " + label));
        } else if (!namespace.isEmpty() && lacks(namespace)) {
            warn(
                    "the namespace does not exist; create it, or correct namespaces in"
                            + " kubemirror.resources");
        }
    }

    /** Returns false only if no member of the JSON has the last name of a path. */
    private static boolean names(KubeObject object, FieldPath path) {
        byte[] name = ('"' + path.segments().getLast() + '"').getBytes(StandardCharsets.UTF_8);
        return new String(object.json(), StandardCharsets.ISO_8859_1)
                .contains(new String(name, StandardCharsets.ISO_8859_1));
    }

    /** Returns whether the server has namespaces, but not this one. A refusal is no. */
    private boolean lacks(String namespace) {
        FieldSelector named =
                new FieldSelector(
                        "metadata.name=" + namespace,
                        List.of(new FieldSelector.FieldTerm("metadata.name", false, namespace)));
        Selection only = new Selection("", LabelSelector.everything(), named);
        List<KubeObject> found = new ArrayList<>();
        return source.resolve(new ResourceName("namespaces"))
                        instanceof Result.Success(TypeLookup.Found(var type, var _))
                && source.list(
                                new ListRequest(
                                        new ResourceCollection(type, only, ObjectShape.plain()),
                                        null,
                                        1,
                                        null),
                                found::add)
                        instanceof Result.Success
                && found.isEmpty();
    }

    private void warnOfPath(String path) {
        warn(
                path
                        + " matches none of the first objects; correct it in kubemirror.resources"
                        + " if it is misspelt");
    }

    private void warn(String text) {
        log.atWarn()
                .addKeyValue("event.action", "unmatched")
                .addKeyValue("kubemirror.resource", mirror.scope().toString())
                .log("{}: {}", mirror.scope(), text);
    }
}
