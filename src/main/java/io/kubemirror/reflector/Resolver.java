package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.TypeLookup;

/** Handles {@link ReflectorState.Resolving}: resolves a configured name to a type. */
final class Resolver extends StateHandler {

    private static final ReflectorState AGAIN = new ReflectorState.Resolving();

    /** Whether the type was unknown: a server that starts may not know its types yet. */
    private boolean doubted;

    Resolver(StateMachine machine) {
        super(machine);
    }

    ReflectorState resolve() {
        return switch (machine.source.resolve(scope().resource())) {
            case Result.Success(TypeLookup.Found(var type, var watchable)) -> {
                if (!watchable) {
                    machine.capabilities.watchRefused();
                }
                yield resolved(type);
            }
            case Result.Success(TypeLookup.Unknown(var similar)) -> {
                doubted = !doubted && machine.writer.mirror().snapshot().isPresent();
                yield doubted ? machine.failures.unclear(AGAIN) : machine.failures.absent(similar);
            }
            case Result.Failed(var failure) -> machine.failures.backOff(failure, AGAIN);
        };
    }

    private ReflectorState resolved(ResourceType type) {
        if (!type.namespaced() && !scope().selection().namespace().isEmpty()) {
            return machine.failures.backOff(
                    scope().resource()
                            + " is cluster-scoped; remove its namespaces from kubemirror.resources",
                    AGAIN);
        }
        return type.builtIn() || scope().extent() == Extent.METADATA
                ? identified(type, DeclaredFields.NONE)
                : custom(type);
    }

    /**
     * A definition that kubemirror is not permitted to read does not stop the reflector. If the
     * definition cannot be read at the moment, the fields known before remain in use.
     */
    private ReflectorState custom(ResourceType type) {
        return switch (machine.source.definition(type)) {
            case Result.Success(var declared) ->
                    identified(
                            type, new DeclaredFields(declared.selectable(), declared.listKind()));
            case Result.Failed(Failure.Refused refused) when refused.status().code() == 404 ->
                    identified(type, new DeclaredFields(List.of(), listKind(type)));
            case Result.Failed(var failure) when FailureHandler.isLasting(failure) ->
                    identified(type, known(type, failure));
            case Result.Failed(var failure) -> machine.failures.backOff(failure, AGAIN);
        };
    }

    private DeclaredFields known(ResourceType type, Failure failure) {
        Mirror mirror = machine.writer.mirror();
        boolean before = mirror.type().filter(type::equals).isPresent();
        return before
                ? mirror.declaredFields()
                : new DeclaredFields(List.of(), listKind(type), failure.summary(), "");
    }

    /**
     * Returns the kind that a list of the type has, for which no definition can be read. Empty if
     * it follows from that of the objects, or if no list succeeds.
     */
    private String listKind(ResourceType type) {
        ResourceCollection collection =
                new ResourceCollection(type, scope().selection(), ObjectShape.plain());
        Result<ListMeta> list =
                machine.source.list(new ListRequest(collection, null, 1, null), _ -> {});
        return list instanceof Result.Success(var page) ? page.kind() : "";
    }

    private ReflectorState identified(ResourceType type, DeclaredFields declared) {
        doubted = false;
        machine.reporter.answered();
        machine.writer.identify(
                type, declared.by(machine.writer.mirror().declaredFields().schema()));
        ObjectShape shape = machine.settings.shape(type, declared, scope().extent());
        ResourceCollection collection =
                new ResourceCollection(type, scope().selection(), shape, scope().extent());
        if (machine.schema.isSame(collection) && machine.writer.isRestored()) {
            // The server may be another one than that of the earlier process.
            machine.retryState.doubt();
            return new ReflectorState.Opening(collection);
        }
        return new ReflectorState.Synchronizing(collection, SyncStart.MOST_RECENT);
    }

    private Scope scope() {
        return machine.writer.mirror().scope();
    }
}
