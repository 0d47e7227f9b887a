package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.app.health.ProcessDescription.Mirrored;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorStatus;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;

/** A mirror of the pods in one namespace, and its only writer. */
public final class PodMirror {

    private final Mirror mirror;
    private final MirrorWriter writer;

    public PodMirror(String namespace) {
        Scope scope = new Scope(new ResourceName("pods"), KubeObjects.selection(namespace, "", ""));
        mirror = Mirrors.of(scope, Mirrors.window());
        writer = Mirrors.writer(mirror, () -> 0);
    }

    public Mirror mirror() {
        return mirror;
    }

    public void identify() {
        writer.identify(
                new ResourceType("", "v1", "Pod", "pods", "pod", true, List.of(), List.of()),
                DeclaredFields.NONE);
    }

    public void sync(String revision, KubeObject... pods) {
        Mirrors.list(writer, Long.parseLong(revision), pods);
    }

    public void upsert(KubeObject pod) {
        writer.upsert(pod);
    }

    /** Its type is gone, and everything with it. */
    public void lose() {
        writer.forget();
    }

    public void report(Phase phase, Instant contact, String problem) {
        writer.report(new UpstreamStatus(phase, contact, contact, problem));
    }

    public static KubeObject pod(String name, String revision, String json) {
        return new KubeObject(
                ObjectKey.of("default", name),
                "uid-" + name,
                new Revision(revision),
                Map.of(),
                Map.of(),
                json.getBytes(StandardCharsets.UTF_8),
                new KubeObject.Span(0, 0),
                new KubeObject.Span(0, 0));
    }

    /** Describes a process with mirrors without watches. */
    public static ProcessDescription process(InstantSource clock, Mirror... mirrors) {
        ReflectorStatus status = new ReflectorStatus(Strategy.AUTO, Optional.empty(), List.of());
        List<Mirrored> described =
                Stream.of(mirrors).map(one -> new Mirrored(one, () -> status, _ -> 0)).toList();
        return new ProcessDescription(
                "1.0",
                "https://api (test)",
                clock.instant(),
                () -> described,
                _ -> List.of(),
                List::of,
                List.of(MemoryBudget.unlimited()),
                clock);
    }
}
