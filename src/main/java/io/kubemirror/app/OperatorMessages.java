package io.kubemirror.app;

import module java.base;

import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Excess;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Limit;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Permission;
import io.kubemirror.reflector.ReflectorEnvironment.FailureMessages;
import io.kubemirror.source.Failure;

import org.jspecify.annotations.Nullable;

/**
 * The messages for operators, which name the properties that help.
 *
 * <p>A missing permission is named as kubectl names it, whatever the server's own message is,
 * because an authorizer behind a webhook may return any text. The server's own message is appended,
 * since it names the user that the server sees.
 */
public final class OperatorMessages implements FailureMessages {

    private static final String LESS =
            "mirror less by drop-fields, metadata-only, selectors, or namespaces";

    /** The number of mirrors with each problem. Guarded by the monitor. */
    private final Map<String, Integer> mirrors = new HashMap<>();

    @Override
    public String failed(Failure failure, @Nullable Permission needed, String upstream) {
        String summary = failure.summary();
        return switch (failure) {
            case Failure.Refused refused when refused.status().code() == 403 ->
                    summary + (needed == null ? grantDiscovery() : grant(summary, needed));
            case Failure.Refused refused when refused.status().code() == 401 -> {
                String read = refused.renewed() ? "read again and rejected again" : "rejected";
                yield "%s; the credentials were %s; check the credentials that %s refers to"
                        .formatted(summary, read, upstream);
            }
            case Failure.Unreachable _ ->
                    "%s; check that the server is running and that %s refers to it"
                            .formatted(summary, upstream);
            case Failure.Refused _, Failure.Malformed _ -> summary;
        };
    }

    private static String grantDiscovery() {
        return "; grant kubemirror's user get on the paths under /api and /apis, as the"
                + " cluster role system:discovery does";
    }

    private static String grant(String summary, Permission needed) {
        String lack = needed.denialMessage();
        String user = summary.contains(lack) ? "" : "; kubemirror's user " + lack;
        return user + "; grant kubemirror's user get, list and watch on the resource";
    }

    @Override
    public String missing(List<String> similar) {
        String remedy =
                similar.isEmpty()
                        ? "install it, or correct kubemirror.resources"
                        : "did you mean "
                                + String.join(" or ", similar)
                                + " in kubemirror.resources?";
        return "the server does not have this resource; " + remedy;
    }

    @Override
    public String tooLarge(Excess tooLarge, long remaining) {
        long all = tooLarge.objects() + remaining;
        double factor = (double) all / Math.max(1, tooLarge.objects());
        String needed =
                String.format(
                        Locale.ROOT,
                        "%,d objects need %,.1f MB",
                        tooLarge.objects() + 1,
                        tooLarge.bytes() / 1e6);
        String more =
                remaining == 0
                        ? " so far"
                        : String.format(
                                Locale.ROOT,
                                ", and all %,d about %,.1f MB",
                                all,
                                tooLarge.bytes() * factor / 1e6);
        return needed + more + remedy(tooLarge.limit(), tooLarge.allowed()) + LESS;
    }

    private static String remedy(Limit limit, long allowed) {
        return switch (limit) {
            case OBJECTS ->
                    String.format(
                            Locale.ROOT, ", but max-objects allows %,d; raise it, or ", allowed);
            case BYTES ->
                    String.format(
                            Locale.ROOT,
                            ", but max-bytes allows %,.1f MB; raise it, or ",
                            allowed / 1e6);
            case SHARED ->
                    String.format(
                            Locale.ROOT,
                            ", for which the %,.1f MB of all mirrors together have no room; raise"
                                    + " the heap (-Xmx or the container's memory) and"
                                    + " kubemirror.memory.limit if it is set, or ",
                            allowed / 1e6);
        };
    }

    /** A problem of the type itself, such as that it is missing, is news for each mirror. */
    @Override
    public synchronized boolean isNews(UpstreamStatus before, UpstreamStatus after) {
        String old = before.problem();
        String now = after.phase() == Phase.STOPPED ? "" : after.problem();
        if (old.equals(now)) {
            return false;
        }
        Integer others = mirrors.computeIfPresent(old, (_, count) -> count == 1 ? null : count - 1);
        if (now.isEmpty()) {
            return others == null;
        }
        return mirrors.merge(now, 1, Integer::sum) == 1 || after.phase() != Phase.BACKING_OFF;
    }
}
