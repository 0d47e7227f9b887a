package io.kubemirror.reflector;

import io.kubemirror.kube.ColumnsOutcome;
import io.kubemirror.kube.DiscoveryOutcome;
import io.kubemirror.kube.Failure;
import io.kubemirror.kube.ResourceCollection;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Upstream.Phase;
import io.kubemirror.model.DeclaredFields;
import io.kubemirror.model.Extent;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;

import java.time.Duration;
import java.util.List;

/** {@link State.Resolving}: finds out which type a configured name means. */
final class Resolver {

    /**
     * How long until a type that the server lacks is looked for again; discovery is cheap, so
     * UP-34's half hour would only be rude to users.
     */
    private static final Duration ABSENCE = Duration.ofSeconds(30);

    private final Equipment equipment;

    Resolver(Equipment equipment) {
        this.equipment = equipment;
    }

    State step(State.Resolving state) {
        Scope scope = equipment.writer().mirror().scope();
        return switch (equipment.api().resolve(scope.resource())) {
            case DiscoveryOutcome.Found found -> resolved(scope, found.type());
            case DiscoveryOutcome.Unknown unknown -> absent(unknown.similar());
            case Failure failure -> equipment.rest(failure, state);
        };
    }

    private State resolved(Scope scope, ResourceType type) {
        if (!type.namespaced() && !scope.selection().namespace().isEmpty()) {
            return equipment.rest(
                    scope.resource()
                            + " has cluster scope: remove its namespaces from kubemirror.resources",
                    new State.Resolving());
        }
        return type.builtIn() || scope.extent() == Extent.METADATA
                ? identified(scope, type, DeclaredFields.NONE)
                : custom(scope, type);
    }

    /**
     * A definition that must not be read is no obstacle, unlike one that cannot be read at the
     * moment; what has been known of it is believed on.
     */
    private State custom(Scope scope, ResourceType type) {
        return switch (equipment.api().columns(type)) {
            case ColumnsOutcome.Declared declared ->
                    identified(scope, type, new DeclaredFields(declared.selectable(), ""));
            case Failure.Refused refused when refused.status().code() == 404 ->
                    identified(scope, type, DeclaredFields.NONE);
            case Failure.Refused refused when isLasting(refused) ->
                    identified(scope, type, known(type, refused));
            case Failure.Malformed malformed -> identified(scope, type, known(type, malformed));
            case Failure failure -> equipment.rest(failure, new State.Resolving());
        };
    }

    private static boolean isLasting(Failure.Refused refused) {
        int code = refused.status().code();
        return code != 401 && code != 429 && code < 500;
    }

    private DeclaredFields known(ResourceType type, Failure failure) {
        Mirror mirror = equipment.writer().mirror();
        boolean before = mirror.type().filter(type::equals).isPresent();
        return before ? mirror.declaredFields() : DeclaredFields.unknown(failure.summary());
    }

    private State identified(Scope scope, ResourceType type, DeclaredFields declared) {
        equipment.resolved();
        equipment.writer().identify(type, declared);
        ObjectShape shape = equipment.settings().shape(type, declared, scope.extent());
        return new State.Synchronising(
                new ResourceCollection(type, scope.selection(), shape, scope.extent()),
                new State.From.MostRecent());
    }

    private State absent(List<String> similar) {
        equipment.writer().forget();
        equipment.resolved();
        equipment
                .journal()
                .resting(
                        Phase.ABSENT,
                        "the server does not have this resource" + hint(similar),
                        ABSENCE);
        return new State.Resting(ABSENCE, new State.Resolving());
    }

    private static String hint(List<String> similar) {
        return similar.isEmpty()
                ? "; install it, or correct kubemirror.resources"
                : "; should kubemirror.resources say " + String.join(" or ", similar) + "?";
    }
}
