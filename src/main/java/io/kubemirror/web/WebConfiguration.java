package io.kubemirror.web;

import io.kubemirror.mirror.Mirrors;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Puts the read API together. */
@Configuration(proxyBeanMethods = false)
class WebConfiguration {

    /** Mapped controllers have order 0. */
    private static final int FIRST_AFTER_CONTROLLERS = 1;

    @Bean
    JettySettings jettySettings() {
        return new JettySettings();
    }

    @Bean
    Entrance entrance() {
        return new Entrance();
    }

    @Bean
    OpenWatches openWatches() {
        return new OpenWatches();
    }

    @Bean
    MirrorDirectory mirrorDirectory(Mirrors mirrors) {
        return new MirrorDirectory(mirrors, System::nanoTime);
    }

    @Bean
    Watches watches(
            MirrorDirectory directory,
            OpenWatches open,
            Mirrors mirrors,
            MeterRegistry registry,
            RandomGenerator random,
            ObjectProvider<Timing> timing) {
        Timing used = timing.getIfAvailable(Timing::standard);
        return new Watches(
                new WatchStarts(directory, new Freshness(used.freshness())),
                open,
                new WatchMeters(mirrors, registry),
                new Watches.Clockwork(used, System::nanoTime, random));
    }

    @Bean
    Forms forms(PrinterColumns columns, InstantSource clock) {
        return new Forms(new CustomFormats(columns, System::nanoTime), clock);
    }

    @Bean
    KubeApiController kubeApiController(
            MirrorDirectory directory,
            FieldSupport support,
            Watches watches,
            Forms forms,
            ObjectProvider<Timing> timing) {
        Freshness freshness = new Freshness(timing.getIfAvailable(Timing::standard).freshness());
        Executor threads = task -> Thread.ofVirtual().name("request").start(task);
        return new KubeApiController(
                directory,
                new DiscoveryReads(new Discovery(directory)),
                new MirroredReads(
                        new CollectionRequests(support),
                        new Gets(directory, freshness),
                        new Lists(directory, freshness),
                        watches,
                        forms),
                threads);
    }

    @Bean
    ErrorAnswers errorAnswers() {
        return new ErrorAnswers();
    }

    /** Comes after all mapped controllers, so that others may serve pages of their own. */
    @Bean
    SimpleUrlHandlerMapping kubeApiMapping(KubeApiController api, ErrorAnswers errors) {
        SimpleUrlHandlerMapping mapping =
                new SimpleUrlHandlerMapping(Map.of("/error", errors), FIRST_AFTER_CONTROLLERS);
        mapping.setDefaultHandler(api);
        return mapping;
    }
}
