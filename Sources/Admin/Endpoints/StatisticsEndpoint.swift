extension AdminExchange {
    func statistics() {
        let finish = replyLater()
        service.timeline.observe { moment in finish(AdminReply(content: moment.observations.json)) }
    }
}
