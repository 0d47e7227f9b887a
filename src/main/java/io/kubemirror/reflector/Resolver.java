package io.kubemirror.reflector;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Extent;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ResourceCollection;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.UpstreamApi.TypeLookup;

import java.time.Duration;
import java.util.List;

/** Handles {@link ReflectorState.Resolving}: resolves a configured name to a type. */
final class Resolver {

    /**
     * The interval between lookups of a type that the server does not serve. Discovery is cheap, so
     * half an hour as in list-watch.md#up-34 would only delay users.
     */
    private static final Duration ABSENCE = Duration.ofSeconds(30);

    private final ReflectorContext context;

    Resolver(ReflectorContext context) {
        this.context = context;
    }

    ReflectorState step(ReflectorState.Resolving state) {
        Scope scope = context.writer().mirror().scope();
        return switch (context.api().resolve(scope.resource())) {
            case Result.Success(TypeLookup.Found(var type)) -> resolved(scope, type);
            case Result.Success(TypeLookup.Unknown(var similar)) -> absent(similar);
            case Result.Failed(var failure) -> context.backOff(failure, state);
        };
    }

    private ReflectorState resolved(Scope scope, ResourceType type) {
        if (!type.namespaced() && !scope.selection().namespace().isEmpty()) {
            return context.backOff(
                    scope.resource()
                            + " has cluster scope: remove its namespaces from kubemirror.resources",
                    new ReflectorState.Resolving());
        }
        return type.builtIn() || scope.extent() == Extent.METADATA
                ? identified(scope, type, DeclaredFields.NONE)
                : custom(scope, type);
    }

    /**
     * A definition that kubemirror is not permitted to read does not stop the reflector. If the
     * definition cannot be read at the moment, the fields known before remain in use.
     */
    private ReflectorState custom(Scope scope, ResourceType type) {
        return switch (context.api().columns(type)) {
            case Result.Success(var declared) ->
                    identified(scope, type, new DeclaredFields(declared.selectable(), ""));
            case Result.Failed(Failure.Refused refused) when refused.status().code() == 404 ->
                    identified(scope, type, DeclaredFields.NONE);
            case Result.Failed(Failure.Refused refused) when isLasting(refused) ->
                    identified(scope, type, known(type, refused));
            case Result.Failed(Failure.Malformed malformed) ->
                    identified(scope, type, known(type, malformed));
            case Result.Failed(var failure) ->
                    context.backOff(failure, new ReflectorState.Resolving());
        };
    }

    private static boolean isLasting(Failure.Refused refused) {
        int code = refused.status().code();
        return code != 401 && code != 429 && code < 500;
    }

    private DeclaredFields known(ResourceType type, Failure failure) {
        Mirror mirror = context.writer().mirror();
        boolean before = mirror.type().filter(type::equals).isPresent();
        return before ? mirror.declaredFields() : DeclaredFields.unknown(failure.summary());
    }

    private ReflectorState identified(Scope scope, ResourceType type, DeclaredFields declared) {
        context.resolved();
        context.writer().identify(type, declared);
        ObjectShape shape = context.settings().shape(type, declared, scope.extent());
        return new ReflectorState.Synchronizing(
                new ResourceCollection(type, scope.selection(), shape, scope.extent()),
                new ReflectorState.SyncStart.MostRecent());
    }

    private ReflectorState absent(List<String> similar) {
        context.writer().forget();
        context.resolved();
        context.reporter()
                .backingOff(
                        Phase.ABSENT,
                        "the server does not have this resource" + hint(similar),
                        ABSENCE);
        return new ReflectorState.BackingOff(ABSENCE, new ReflectorState.Resolving());
    }

    private static String hint(List<String> similar) {
        return similar.isEmpty()
                ? "; install it, or correct kubemirror.resources"
                : "; should kubemirror.resources say " + String.join(" or ", similar) + "?";
    }
}
