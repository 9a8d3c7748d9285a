extension AdminExchange {
    func statistics() {
        let finish = replyLater()
        surface.timeline.observe { moment in finish(AdminReply(content: moment.json)) }
    }

    func metrics() {
        let finish = replyLater()
        surface.timeline.observe { moment in
            var observations = moment
            observations.process = .current
            observations.cacheDisk = observations.source.cacheDisk
            finish(
                AdminReply(type: "text/plain; version=0.0.4; charset=utf-8", content: Array(observations.metrics.utf8)))
        }
    }
}
