package io.kubemirror.api;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.DocumentEncoder;
import io.kubemirror.api.encode.DocumentEncoder.EntityTag;
import io.kubemirror.api.encode.DocumentEncoder.ResponseForm;
import io.kubemirror.api.encode.ListExtension.ListArrangement;
import io.kubemirror.api.encode.ListExtension.ListExtensions;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.encode.ResponseWriter;
import io.kubemirror.api.encode.SharedBodies;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.NamespaceLimit;
import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Representation;
import io.kubemirror.api.http.Representation.SupportedMediaTypes;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.MirrorReader;
import io.kubemirror.api.read.MirroredResource;
import io.kubemirror.api.read.ReadPlan;
import io.kubemirror.api.read.ReadPlan.OtherAnswer;
import io.kubemirror.api.read.ReadPlan.ReadPlanner;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.server.RequestHandler.Admission;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.SnapshotPins.Pin;
import io.kubemirror.model.Revision;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves gets and lists of mirrored resources. */
@RestController
final class ResourceController {

    private final MirroredReads reads;
    private final MirrorReader reader;
    private final DocumentEncoder encoder;
    private final ListExtensions extensions;
    private final ReadPlanner planner;
    private final StalenessPolicy staleness;
    private final SharedBodies bodies;

    /** Creates a controller. */
    ResourceController(
            MirroredReads reads,
            MirrorReader reader,
            DocumentEncoder encoder,
            ListExtensions extensions,
            ReadPlanner planner,
            StalenessPolicy staleness,
            SharedBodies bodies) {
        this.reads = reads;
        this.reader = reader;
        this.encoder = encoder;
        this.extensions = extensions;
        this.planner = planner;
        this.staleness = staleness;
        this.bodies = bodies;
    }

    /** Sends one object. */
    @GetMapping({
        "/api/{version}/{resource}/{name}",
        "/api/{version}/namespaces/{namespace}/{resource}/{name}",
        "/apis/{group}/{version}/{resource}/{name}",
        "/apis/{group}/{version}/namespaces/{namespace}/{resource}/{name}"
    })
    void get(RequestPath.Item item, Admission admission, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        reads.answer(
                item,
                admission,
                exchange,
                (resource, one) -> {
                    get(item, resource, one);
                    return Optional.empty();
                });
    }

    /** Sends a list. */
    @GetMapping({
        "/api/{version}/{resource}",
        "/api/{version}/namespaces/{namespace}/{resource}",
        "/apis/{group}/{version}/{resource}",
        "/apis/{group}/{version}/namespaces/{namespace}/{resource}"
    })
    void list(RequestPath.Collection path, Admission admission, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        reads.answer(
                path,
                admission,
                exchange,
                (resource, one) -> {
                    list(path, resource, one);
                    return Optional.empty();
                });
    }

    private void get(RequestPath.Item item, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        extensions.refuse(exchange.query(), "the response is one object");
        Representation chosen =
                encoder.choose(resource.type(), SupportedMediaTypes.OBJECT, exchange);
        Revision min = exchange.minRevision();
        MirrorReader.check(item, exchange.query());
        switch (planner.plan(resource, item, min, exchange)) {
            case ReadPlan.FromOther other -> other.answer().send(exchange);
            case ReadPlan.FromMirror mirror -> get(item, resource, chosen, mirror, exchange);
        }
    }

    private void get(
            RequestPath.Item item,
            MirroredResource resource,
            Representation chosen,
            ReadPlan.FromMirror plan,
            Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        Mirror mirror = plan.mirror();
        boolean newest = exchange.query().text("resourceVersion").isEmpty();
        admit(plan, newest, exchange);
        MirrorReader.FoundObject found;
        try {
            found = reader.read(resource.type(), item, plan, exchange).orElse(null);
        } catch (Rejection missing) {
            admit(plan, newest, exchange);
            throw missing;
        }
        if (found == null) {
            plan.otherwise().send(exchange);
            return;
        }
        admit(plan, newest, exchange);
        ResponseForm shown =
                encoder.present(
                        resource.type(), mirror, chosen, SupportedMediaTypes.OBJECT, exchange);
        exchange.response().setHeader(StalenessPolicy.REVISION, found.revision().digits());
        EntityTag tag = encoder.tag(shown, found.object());
        ResponseWriter.send(
                encoder.object(shown, found.object()), shown.indented(), tag, exchange, bodies);
    }

    private void list(RequestPath.Collection path, MirroredResource resource, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        Representation chosen = encoder.choose(resource.type(), SupportedMediaTypes.LIST, exchange);
        ListOptions options = ListOptions.decode(exchange.query(), false);
        options.checkList();
        CollectionRequest wanted =
                arranged(resource.select(path.namespace(), options), exchange.query());
        ResponseForm shown =
                encoder.present(
                        resource.type(),
                        wanted.mirror(),
                        chosen,
                        SupportedMediaTypes.LIST,
                        exchange);
        switch (planner.plan(wanted, exchange.minRevision(), exchange.allotted())) {
            case ReadPlan.FromOther other -> elsewhere(other.answer(), wanted, exchange);
            case ReadPlan.FromMirror mirror -> list(wanted, shown, mirror, exchange);
        }
    }

    private void list(
            CollectionRequest wanted,
            ResponseForm shown,
            ReadPlan.FromMirror plan,
            Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        admit(plan, wanted.isForNewest(), exchange);
        long history = DocumentEncoder.history(wanted.mirror());
        ListPage page = reader.read(wanted, plan.min(), exchange.allotted()).orElse(null);
        if (page == null) {
            elsewhere(plan.otherwise(), wanted, exchange);
            return;
        }
        admit(plan, wanted.isForNewest(), exchange);
        checkLimit(wanted, page.revision());
        exchange.response().setHeader(StalenessPolicy.REVISION, page.revision().digits());
        EntityTag tag = encoder.tag(shown, wanted, history, page);
        Pin pin =
                MirrorReader.pin(
                        wanted.mirror(),
                        page.revision(),
                        () -> Thread.ofVirtual().name("abort").start(exchange::abort));
        try (pin) {
            ResponseWriter.send(encoder.list(shown, page), shown.indented(), tag, exchange, bodies);
        }
    }

    /**
     * Lets the API server answer. The client may continue in the mirror from the state that it has
     * now. Nothing begins for a list that only the mirror can answer, which gets an error.
     */
    private static void elsewhere(OtherAnswer answer, CollectionRequest wanted, Exchange exchange)
            throws Rejection, IOException, InterruptedException {
        if (!names(wanted) && !wanted.isForMirrorOnly()) {
            wanted.begin(wanted.mirror().revision());
        }
        answer.send(exchange);
    }

    /**
     * Checks that the client may see these namespaces now, and has seen them at the revision that
     * it names (list-watch.md#pn-3).
     */
    private static void checkLimit(CollectionRequest wanted, Revision shown) throws Rejection {
        NamespaceLimit limit = wanted.limit();
        if (limit != null && limit.isEnded()) {
            throw new Rejection(
                    StatusErrors.initializing("the permissions of the client have changed", 1));
        }
        if (!names(wanted)) {
            wanted.begin(shown);
        } else if (!wanted.continuesAfter(shown)) {
            throw new Rejection(StatusErrors.expiredList());
        }
    }

    /** Returns whether a client names the state that it wants, which may be one of the past. */
    private static boolean names(CollectionRequest wanted) {
        return wanted.isExact() || !wanted.options().paging().token().isEmpty();
    }

    private CollectionRequest arranged(CollectionRequest plain, Query query) throws Rejection {
        ListArrangement arrangement = extensions.read(query, plain.mirror()).orElse(null);
        return arrangement == null ? plain : plain.with(arrangement);
    }

    /**
     * Writes the freshness headers of what the mirror answers, and checks whether it may. Called
     * before the read, so that a client learns at once that the mirror is too old, and after it,
     * because the read may have waited.
     */
    private void admit(ReadPlan.FromMirror plan, boolean newest, Exchange exchange)
            throws Rejection {
        if (plan.verified()) {
            staleness.verified(plan.mirror(), exchange);
        } else {
            staleness.admit(plan.mirror(), newest, exchange);
        }
    }
}
